import { inTransaction } from '@market-state/postgres';
import type { Ring } from '../lanes/ring';
import { claimDue, type ClaimedDelivery, countInFlight, endUnsendable } from '../store/deliveries';
import { advanceLane, lockLane, type LockedLane } from '../store/lanes';
import { positionOf } from './breaker';
import { sendDelivery } from './send-delivery';
import type { WorkerDeps } from './worker-deps';

/** Attempts at a time (WH9). */
const PER_ENDPOINT = 4;
const PER_TENANT = 16;
const TASKS_PER_ENDPOINT = PER_ENDPOINT / 4;
/** Lanes whose tenant or process has no place are looked at again after so long, milliseconds. */
const NO_PLACE_MS = 500;

interface Claim {
  readonly lane: LockedLane;
  readonly deliveries: readonly ClaimedDelivery[];
  readonly rings: readonly Ring[];
}

/**
 * Answers a ring: claims what is due at the endpoint, as far as there are places, sends it, and rings at the end of the queue when more is
 * due. Resolves once the attempts have begun; `onBegun` is given each.
 */
export async function workOnLane(deps: WorkerDeps, ring: Ring, onBegun: (attempt: Promise<void>) => void): Promise<void> {
  await deps.places.free();
  const claim = await claimOf(deps, ring);
  if (claim === undefined) return;
  for (const delivery of claim.deliveries) onBegun(sendDelivery(deps, claim.lane, delivery));
  await deps.bell.ring(claim.rings);
}

async function claimOf(deps: WorkerDeps, { endpointId, ring }: Ring): Promise<Claim | undefined> {
  const { pool, places, clock, pace } = deps;
  let taken = 0;
  let isSlow = false;
  try {
    return await inTransaction(pool, async (client) => {
      const lane = await lockLane(client, endpointId);
      if (lane === undefined || !lane.isRung || lane.ring !== ring) return undefined;
      isSlow = lane.isSlow;
      const nowMs = clock();
      const advance = { nowMs, claimMs: pace.claimMs, isAnswered: true };
      if (lane.status !== 'live') await endUnsendable(client, endpointId, nowMs);
      const position = positionOf(lane.breaker, nowMs);
      if (position === 'open') {
        const rings = await advanceLane(client, endpointId, { ...advance, notBeforeMs: lane.breaker.untilMs });
        return { lane, deliveries: [], rings };
      }
      const inFlight = await countInFlight(client, lane.tenantId, endpointId, nowMs - pace.claimMs);
      const room = Math.min((position === 'probe' ? 1 : PER_ENDPOINT) - inFlight.endpoint, PER_TENANT - inFlight.tenant);
      taken = places.take(Math.max(room, 0), lane.isSlow);
      const deliveries =
        taken === 0
          ? []
          : await claimDue(client, {
              endpointId,
              worker: deps.worker,
              limit: taken,
              taskLimit: Math.max(0, Math.min(taken, TASKS_PER_ENDPOINT - inFlight.tasks)),
              nowMs,
              claimedBeforeMs: nowMs - pace.claimMs,
            });
      places.giveBack(taken - deliveries.length, lane.isSlow);
      taken = deliveries.length;
      const isFull = inFlight.endpoint + deliveries.length >= (position === 'probe' ? 1 : PER_ENDPOINT);
      // A result rings for a full endpoint; should its worker die, the claims grow old.
      const notBeforeMs = isFull ? nowMs + pace.claimMs : deliveries.length === 0 ? nowMs + NO_PLACE_MS : 0;
      return { lane, deliveries, rings: await advanceLane(client, endpointId, { ...advance, notBeforeMs }) };
    });
  } catch (error) {
    places.giveBack(taken, isSlow);
    throw error;
  }
}
