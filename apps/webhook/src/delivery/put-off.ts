import { inTransaction } from '@market-state/postgres';
import { type ClaimedDelivery, releaseClaim } from '../store/deliveries';
import { advanceLanes, lockLanes } from '../store/lanes';
import { PER_ENDPOINT } from './claim-next';
import type { WorkerDeps } from './worker-deps';

/** What a delivery that was not attempted waits for. */
export interface Wait {
  readonly status: 'waiting' | 'held_no_credits' | 'not_paid';
  /** Null: it is not sent any more. */
  readonly dueMs: number | null;
  readonly heldSinceMs: number | null;
}

/** Gives a claimed delivery back without an attempt. */
export async function putOff({ pool, bell, worker, clock, pace }: WorkerDeps, delivery: ClaimedDelivery, wait: Wait): Promise<void> {
  const rings = await inTransaction(pool, async (client) => {
    const [lane] = await lockLanes(client, [delivery.endpointId]);
    await releaseClaim(client, delivery, { worker, ...wait });
    if (lane === undefined) return [];
    const advance = { endpointId: delivery.endpointId, places: PER_ENDPOINT, notBeforeMs: 0, isAnswered: false };
    return advanceLanes(client, [advance], { nowMs: clock(), claimMs: pace.claimMs });
  });
  await bell.ring(rings);
}
