import type { Queryable } from '@market-state/postgres';
import { makeLanesDue } from '../store/lanes';
import type { Ring } from './queue';

export type { Ring } from './queue';

/**
 * Makes the lanes of these endpoints due at `nowMs`, inside the transaction that made their deliveries due. @returns rings for the lanes
 * that had none, for the bell once the transaction is committed
 */
export async function ringLanes(on: Queryable, endpointIds: readonly string[], nowMs: number): Promise<Ring[]> {
  return endpointIds.length === 0 ? [] : makeLanesDue(on, endpointIds, nowMs);
}
