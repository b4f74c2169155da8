import { listUsage, type UsageFilter, type UsageRow } from '../store/usage-days';
import type { Credits } from './credits';
import { listOf } from './list-of';

/** Spend by day, family, route and caller. Calls count on the day whose caps they count against. Faults as `listOf`. */
export function getUsage(credits: Credits, filter: UsageFilter): Promise<readonly UsageRow[]> {
  return listOf(credits, filter, (on) => listUsage(on, filter));
}
