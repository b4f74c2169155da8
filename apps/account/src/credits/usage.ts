import { listUsage, type UsageFilter, type UsageRow } from '../store/usage-days';
import type { Credits } from './credits';
import { readOnly } from './read-only';
import { refuseStrangeKey } from './refuse-strange-key';

/**
 * Spend by day, family, route and caller. Calls count on the day whose caps they count against. Faults as `readOnly` and
 * `refuseStrangeKey`.
 */
export function getUsage(credits: Credits, filter: UsageFilter): Promise<readonly UsageRow[]> {
  return readOnly(credits, filter.tenantId, async (client) => {
    await refuseStrangeKey(client, filter);
    return listUsage(client, filter);
  });
}
