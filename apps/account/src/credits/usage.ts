import { listUsage, type UsageFilter, type UsageRow } from '../store/usage-days';
import type { Credits } from './credits';
import { readOnly } from './read-only';

/** Spend by day, family, route and caller. Calls count on the day whose caps they count against. Faults as `readOnly`. */
export function getUsage(credits: Credits, filter: UsageFilter): Promise<readonly UsageRow[]> {
  return readOnly(credits, filter.tenantId, (client) => listUsage(client, filter));
}
