import type { Ring } from '../lanes/ring';
import { countInFlight, endUnsendable, releaseEnded } from '../store/deliveries';
import { advanceLane, lockLane } from '../store/lanes';
import { positionOf } from './breaker';
import { type Claim, inClaimingTransaction, PER_ENDPOINT } from './claim-next';
import type { WorkerDeps } from './worker-deps';

/** Attempts for a tenant at a time (WH9). */
const PER_TENANT = 16;
const TASKS_PER_ENDPOINT = PER_ENDPOINT / 4;
/** Lanes whose tenant or process has no place are looked at again after so long, milliseconds. */
const NO_PLACE_MS = 500;

/** Which lane is looked at: by a ring of it, or because it is its turn. */
type Look = Pick<Ring, 'endpointId'> & Partial<Ring>;

/**
 * Claims what is due at an endpoint, as far as there are places, and rings at the end of the queue when more is due. A ring that another
 * has followed is not answered.
 */
export async function workOnLane(deps: WorkerDeps, look: Look, begin: (claim: Claim) => void): Promise<void> {
  await deps.places.free();
  const { claim, rings } = await claimOf(deps, look);
  if (claim !== undefined) begin(claim);
  await deps.bell.ring(rings);
}

function claimOf(
  deps: WorkerDeps,
  { endpointId, ring }: Look,
): Promise<{ readonly claim: Claim | undefined; readonly rings: readonly Ring[] }> {
  const { clock, pace, turns } = deps;
  return inClaimingTransaction(deps, async (client, claimNext) => {
    const lane = await lockLane(client, endpointId);
    const isMeant = ring === undefined || (lane?.isRung === true && lane.ring === ring);
    if (lane === undefined || !isMeant) return { claim: undefined, rings: [] };
    const nowMs = clock();
    if (lane.status !== 'live') await endUnsendable(client, endpointId, nowMs);
    const position = positionOf(lane.breaker, nowMs);
    const advance = { nowMs, claimMs: pace.claimMs, places: position === 'probe' ? 1 : PER_ENDPOINT, isAnswered: ring !== undefined };
    if (position === 'open')
      return { claim: undefined, rings: await advanceLane(client, endpointId, { ...advance, notBeforeMs: lane.breaker.untilMs }) };
    const inFlight = await countInFlight(client, lane.tenantId, endpointId, nowMs - pace.claimMs);
    const ofTenant = PER_TENANT - inFlight.tenant;
    if (ofTenant <= 0) turns.wait(lane.tenantId, endpointId);
    const room = { total: Math.min(advance.places - inFlight.endpoint, ofTenant), tasks: TASKS_PER_ENDPOINT - inFlight.tasks };
    const claim = await claimNext(lane, room, 0);
    if (!claim?.deliveries.length) await releaseEnded(client, endpointId, nowMs - pace.claimMs);
    const notBeforeMs = claim === undefined ? nowMs + NO_PLACE_MS : 0;
    return { claim, rings: await advanceLane(client, endpointId, { ...advance, notBeforeMs }) };
  });
}
