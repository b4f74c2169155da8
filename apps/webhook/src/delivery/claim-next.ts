import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { claimDue, type ClaimedDelivery } from '../store/deliveries';
import type { LockedLane } from '../store/lanes';
import { listSecrets, type StoredSecret } from '../store/secrets';
import type { Places } from './places';
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

/** How many deliveries may be claimed at a locked lane, at least one; of them for tasks. */
export interface Room {
  readonly lane: LockedLane;
  readonly total: number;
  readonly tasks: number;
  readonly passes: number;
}

/** Claims what is due at locked lanes, for places of this process. @returns a claim of each lane for which it has a place */
type ClaimNext = (rooms: readonly Room[]) => Promise<readonly Claim[]>;

/** A transaction that may claim once; the places of what it claimed are given back when it fails. */
export async function inClaimingTransaction<T>(
  deps: WorkerDeps,
  work: (client: PoolClient, claimNext: ClaimNext) => Promise<T>,
): Promise<T> {
  const { pool, places } = deps;
  let taken: readonly Taken[] = [];
  try {
    return await inTransaction(pool, (client) =>
      work(client, async (rooms) => {
        taken = takePlaces(places, rooms);
        const claims = taken.length === 0 ? [] : await claimAt(deps, client, taken);
        for (const { room, total } of taken) places.giveBack(total - sizeOf(claims, room), room.lane.isSlow);
        taken = taken.map(({ room }) => ({ room, total: sizeOf(claims, room) }));
        return claims;
      }),
    );
  } catch (error) {
    for (const { room, total } of taken) places.giveBack(total, room.lane.isSlow);
    throw error;
  }
}

interface Taken {
  readonly room: Room;
  /** Places, at least one. */
  readonly total: number;
}

/** One for each lane before any has a second. */
function takePlaces(places: Places, rooms: readonly Room[]): Taken[] {
  const totals = rooms.map(() => 0);
  for (let round = 0; round < PER_ENDPOINT; round++)
    rooms.forEach(({ lane, total }, at) => {
      if (round < total) totals[at] = (totals[at] ?? 0) + places.take(1, lane.isSlow);
    });
  return rooms.map((room, at) => ({ room, total: totals[at] ?? 0 })).filter(({ total }) => total > 0);
}

async function claimAt({ worker, clock, pace }: WorkerDeps, client: PoolClient, taken: readonly Taken[]): Promise<Claim[]> {
  const nowMs = clock();
  const orders = taken.map(({ room, total }) => ({
    endpointId: room.lane.endpointId,
    limit: total,
    taskLimit: Math.max(0, Math.min(total, room.tasks)),
  }));
  const deliveries = groupByEndpoint(await claimDue(client, orders, { worker, nowMs, claimedBeforeMs: nowMs - pace.claimMs }));
  const secrets = deliveries.size === 0 ? new Map() : groupByEndpoint(await listSecrets(client, [...deliveries.keys()], nowMs));
  return taken.map(({ room: { lane, passes } }) => ({
    lane,
    deliveries: deliveries.get(lane.endpointId) ?? [],
    secrets: secrets.get(lane.endpointId) ?? [],
    passes,
  }));
}

function groupByEndpoint<T extends { readonly endpointId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(row.endpointId, [...(groups.get(row.endpointId) ?? []), row]);
  return groups;
}

function sizeOf(claims: readonly Claim[], { lane }: Room): number {
  return claims.find((claim) => claim.lane === lane)?.deliveries.length ?? 0;
}
