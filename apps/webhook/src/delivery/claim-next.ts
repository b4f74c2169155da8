import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { claimDue, type ClaimedDelivery } from '../store/deliveries';
import type { LockedLane } from '../store/lanes';
import { listSecrets, type StoredSecret } from '../store/secrets';
import type { WorkerDeps } from './worker-deps';

/** Attempts at an endpoint at a time (WH9). */
export const PER_ENDPOINT = 4;

/** Deliveries that a worker has claimed at one endpoint, and what signs them. */
export interface Claim {
  readonly lane: LockedLane;
  readonly deliveries: readonly ClaimedDelivery[];
  readonly secrets: readonly StoredSecret[];
  /** How often their places were passed on since the lane was rung. */
  readonly passes: number;
}

/** How many deliveries may be claimed; of them for tasks. */
export interface Room {
  readonly total: number;
  readonly tasks: number;
}

/** Claims what is due at a locked lane, for places of this process; undefined where it has none. */
type ClaimNext = (lane: LockedLane, room: Room, passes: number) => Promise<Claim | undefined>;

/** A transaction that may claim once; the places of what it claimed are given back when it fails. */
export async function inClaimingTransaction<T>(
  deps: WorkerDeps,
  work: (client: PoolClient, claimNext: ClaimNext) => Promise<T>,
): Promise<T> {
  const { pool, places, worker, clock, pace } = deps;
  let taken = 0;
  let isSlow = false;
  try {
    return await inTransaction(pool, (client) =>
      work(client, async (lane, room, passes) => {
        const { endpointId } = lane;
        isSlow = lane.isSlow;
        taken = places.take(Math.max(0, room.total), isSlow);
        if (taken === 0) return undefined;
        const nowMs = clock();
        const deliveries = await claimDue(client, {
          endpointId,
          worker,
          limit: taken,
          taskLimit: Math.max(0, Math.min(taken, room.tasks)),
          nowMs,
          claimedBeforeMs: nowMs - pace.claimMs,
        });
        places.giveBack(taken - deliveries.length, isSlow);
        taken = deliveries.length;
        const secrets = taken === 0 ? [] : await listSecrets(client, [endpointId], nowMs);
        return { lane, deliveries, secrets, passes };
      }),
    );
  } catch (error) {
    places.giveBack(taken, isSlow);
    throw error;
  }
}
