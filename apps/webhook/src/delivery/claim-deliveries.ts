import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { claimDue, type ClaimedDelivery, countUnderWay, endUnsendable, releaseEnded, type UnderWay } from '../store/deliveries';
import { advanceLanes, type LockedLane, lockLanes } from '../store/lanes';
import { listSecrets, type StoredSecret } from '../store/secrets';
import type { Groups } from './batches';
import type { WakeUp } from './wake-ups';
import { positionOf } from './breaker';
import type { Places } from './places';
import type { WorkerDeps } from './worker-deps';

/** Concurrent attempts per endpoint (WH9). */
export const PER_ENDPOINT = 4;
/** Concurrent attempts per tenant (WH9). */
const PER_TENANT = 16;
const TASKS_PER_ENDPOINT = PER_ENDPOINT / 4;
/** Delay before a queue is checked again whose tenant or process has no free slot. */
const NO_PLACE_MS = 500;

export interface Claim {
  readonly lane: LockedLane;
  readonly deliveries: readonly ClaimedDelivery[];
  readonly secrets: readonly StoredSecret[];
  /** Number of times the slots were passed on since the wake-up. */
  readonly passes: number;
}

/** Deliveries that may be claimed for a locked queue, at least one, and how many of them for tasks. */
export interface Room {
  readonly lane: LockedLane;
  readonly total: number;
  readonly tasks: number;
  readonly passes: number;
}

/** Claims due deliveries of locked queues for free slots of this process. @returns one claim per queue with a slot */
type ClaimNext = (rooms: readonly Room[]) => Promise<readonly Claim[]>;

export type Look = Pick<WakeUp, 'endpointId'> & Partial<WakeUp>;

interface Looked {
  readonly lane: LockedLane;
  readonly isAnswered: boolean;
}

/**
 * Claims due deliveries as far as slots are free, and requeues a wake-up if more are due.
 * @returns endpoints, of several, whose queues were locked
 */
export async function workOnLanes(deps: WorkerDeps, looks: Groups<Look>, begin: (claim: Claim) => void): Promise<string[]> {
  const { claims, wakeUps, locked } = await claimAtLanes(deps, looks);
  claims.forEach(begin);
  await deps.notifier.notify(wakeUps);
  return locked;
}

function claimAtLanes(deps: WorkerDeps, looks: Groups<Look>) {
  const { clock, pace } = deps;
  return inClaimingTransaction(deps, async (client, claimNext) => {
    const requested = [...looks.keys()];
    const lanes = await lockLanes(client, requested);
    const found = new Set(lanes.map(({ endpointId }) => endpointId));
    const locked = requested.length === 1 ? [] : requested.filter((endpointId) => !found.has(endpointId));
    const looked = lanes.flatMap((lane) => meantBy(looks.get(lane.endpointId) ?? [], lane));
    if (looked.length === 0) return { claims: [], wakeUps: [], locked };
    const nowMs = clock();
    const ended = looked.filter(({ lane }) => lane.status !== 'live').map(({ lane }) => lane.endpointId);
    if (ended.length > 0) await endUnsendable(client, ended, nowMs);
    const open = looked.map(({ lane }) => lane).filter(({ breaker }) => positionOf(breaker, nowMs) !== 'open');
    const sinceMs = nowMs - pace.claimMs;
    const underWay = open.length === 0 ? new Map() : await countUnderWay(client, open, { nowMs, sinceMs, dueMax: PER_ENDPOINT });
    const rooms = roomsAt(deps, open, { underWay, nowMs });
    const claims = await claimNext(rooms.filter(({ total }) => total > 0));
    const claimed = new Map(claims.map((claim) => [claim.lane, claim.deliveries.length]));
    const idle = rooms.filter(({ lane }) => !claimed.get(lane)).map(({ lane }) => lane.endpointId);
    if (idle.length > 0) await releaseEnded(client, idle, sinceMs);
    const hasNoPlace = new Set(rooms.filter((room) => room.isFull || (room.total > 0 && !claimed.has(room.lane))).map(({ lane }) => lane));
    const advances = looked.map(({ lane, isAnswered }) => ({
      endpointId: lane.endpointId,
      isAnswered,
      places: placesAt(lane, nowMs),
      notBeforeMs: hasNoPlace.has(lane) ? nowMs + NO_PLACE_MS : notBefore(lane, nowMs),
    }));
    return { claims, wakeUps: await advanceLanes(client, advances, { nowMs, claimMs: pace.claimMs }), locked };
  });
}

/** Returns [] if every wake-up is obsolete. */
function meantBy(looks: readonly Look[], lane: LockedLane): Looked[] {
  const isAnswered = looks.some(({ number }) => number !== undefined && lane.isWoken && lane.wakeUp === number);
  return isAnswered || looks.some(({ number }) => number === undefined) ? [{ lane, isAnswered }] : [];
}

interface LookedRoom extends Room {
  readonly isFull: boolean;
}

function roomsAt(
  { turns }: WorkerDeps,
  lanes: readonly LockedLane[],
  { underWay, nowMs }: { readonly underWay: ReadonlyMap<string, UnderWay>; readonly nowMs: number },
): LookedRoom[] {
  const ofTenants = new Map<string, number>();
  return lanes.map((lane) => {
    const { endpointId, tenantId } = lane;
    const { tenant = 0, endpoint = 0, tasks = 0, due = 0 } = underWay.get(endpointId) ?? {};
    const ofTenant = ofTenants.get(tenantId) ?? PER_TENANT - tenant;
    if (ofTenant <= 0) turns.wait(tenantId, endpointId);
    const room = Math.max(0, Math.min(placesAt(lane, nowMs) - endpoint, ofTenant));
    const total = Math.min(room, due);
    ofTenants.set(tenantId, ofTenant - total);
    return { lane, total, tasks: TASKS_PER_ENDPOINT - tasks, passes: 0, isFull: room === 0 };
  });
}

function placesAt({ breaker }: LockedLane, nowMs: number): number {
  return positionOf(breaker, nowMs) === 'probe' ? 1 : PER_ENDPOINT;
}

function notBefore({ breaker }: LockedLane, nowMs: number): number {
  return positionOf(breaker, nowMs) === 'open' ? breaker.untilMs : 0;
}

/** The transaction may claim once; its slots are released if it fails. */
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
  readonly total: number;
}

/** One slot for each queue before any gets a second. */
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
