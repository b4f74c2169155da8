import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { claimDue, type ClaimedDelivery, countUnderWay, endUnsendable, releaseEnded, type UnderWay } from '../store/deliveries';
import { advanceQueues, type LockedQueue, lockQueues } from '../store/endpoint-queues';
import { listSecrets, type StoredSecret } from '../store/secrets';
import type { Groups } from './batches';
import type { ProcessSlots } from './process-slots';
import { positionOf } from './retry-policy';
import type { WakeUp } from './wake-ups';
import type { WorkerDeps } from './worker-deps';

/** Concurrent attempts per endpoint (WH9). */
const PER_ENDPOINT = 4;
/** Concurrent attempts per tenant (WH9). */
const PER_TENANT = 16;
const TASKS_PER_ENDPOINT = PER_ENDPOINT / 4;
const DIGEST_MAX = 50;
/** Delay before a queue is checked again whose tenant or process has no free slot. */
const NO_SLOT_MS = 500;

export interface Claim {
  readonly queue: LockedQueue;
  readonly deliveries: readonly ClaimedDelivery[];
  readonly secrets: readonly StoredSecret[];
  /** Number of times the slots were passed on since the wake-up. */
  readonly passes: number;
}

/** Deliveries to claim for a locked queue, at least one, and how many of them for tasks. */
export interface QueueCapacity {
  readonly queue: LockedQueue;
  readonly total: number;
  readonly tasks: number;
  readonly passes: number;
}

/** @returns one claim per queue with a slot */
type ClaimNext = (capacities: readonly QueueCapacity[]) => Promise<readonly Claim[]>;

export type QueueVisit = Pick<WakeUp, 'endpointId'> & Partial<WakeUp>;

interface VisitedQueue {
  readonly queue: LockedQueue;
  readonly isAnswered: boolean;
}

/**
 * Requeues a wake-up if more are due.
 * @returns endpoints, of several, whose queues were locked
 */
export async function workOnQueues(deps: WorkerDeps, visits: Groups<QueueVisit>, begin: (claim: Claim) => void): Promise<string[]> {
  const { claims, wakeUps, locked } = await claimFromQueues(deps, visits);
  claims.forEach(begin);
  await deps.notifier.notify(wakeUps);
  return locked;
}

function claimFromQueues(deps: WorkerDeps, visits: Groups<QueueVisit>) {
  const { clock, pace } = deps;
  return inClaimingTransaction(deps, async (client, claimNext) => {
    const endpointIds = [...visits.keys()];
    const queues = await lockQueues(client, endpointIds);
    const found = new Set(queues.map(({ endpointId }) => endpointId));
    const locked = endpointIds.length === 1 ? [] : endpointIds.filter((endpointId) => !found.has(endpointId));
    const visited = queues.flatMap((queue) => pendingVisits(visits.get(queue.endpointId) ?? [], queue));
    if (visited.length === 0) return { claims: [], wakeUps: [], locked };
    const nowMs = clock();
    const ended = visited.filter(({ queue }) => queue.status !== 'live').map(({ queue }) => queue.endpointId);
    if (ended.length > 0) await endUnsendable(client, ended, nowMs);
    const open = visited.map(({ queue }) => queue).filter(({ breaker }) => positionOf(breaker, nowMs) !== 'open');
    const sinceMs = nowMs - pace.claimMs;
    const underWay = open.length === 0 ? new Map() : await countUnderWay(client, open, { nowMs, sinceMs, dueMax: PER_ENDPOINT });
    const capacities = capacitiesAt(deps, open, { underWay, nowMs });
    const claims = await claimNext(capacities.filter(({ total }) => total > 0));
    const claimed = new Map(claims.map((claim) => [claim.queue, claim.deliveries.length]));
    const idle = capacities.filter(({ queue }) => !claimed.get(queue)).map(({ queue }) => queue.endpointId);
    if (idle.length > 0) await releaseEnded(client, idle, sinceMs);
    const hasNoSlot = new Set(
      capacities.filter((capacity) => capacity.isFull || (capacity.total > 0 && !claimed.has(capacity.queue))).map(({ queue }) => queue),
    );
    const advances = visited.map(({ queue, isAnswered }) => ({
      endpointId: queue.endpointId,
      isAnswered,
      slots: slotsAt(queue, nowMs),
      notBeforeMs: hasNoSlot.has(queue) ? nowMs + NO_SLOT_MS : notBefore(queue, nowMs),
    }));
    return { claims, wakeUps: await advanceQueues(client, advances, { nowMs, claimMs: pace.claimMs }), locked };
  });
}

/** Returns [] if every wake-up is obsolete. */
function pendingVisits(visits: readonly QueueVisit[], queue: LockedQueue): VisitedQueue[] {
  const isAnswered = visits.some(({ number }) => number !== undefined && queue.isWoken && queue.wakeUp === number);
  return isAnswered || visits.some(({ number }) => number === undefined) ? [{ queue, isAnswered }] : [];
}

interface CheckedCapacity extends QueueCapacity {
  readonly isFull: boolean;
}

function capacitiesAt(
  { waitingTenants }: WorkerDeps,
  queues: readonly LockedQueue[],
  { underWay, nowMs }: { readonly underWay: ReadonlyMap<string, UnderWay>; readonly nowMs: number },
): CheckedCapacity[] {
  const ofTenants = new Map<string, number>();
  return queues.map((queue) => {
    const { endpointId, tenantId } = queue;
    const { tenant = 0, endpoint = 0, tasks = 0, due = 0 } = underWay.get(endpointId) ?? {};
    const ofTenant = ofTenants.get(tenantId) ?? PER_TENANT - tenant;
    if (ofTenant <= 0) waitingTenants.wait(tenantId, endpointId);
    const capacity = Math.max(0, Math.min(slotsAt(queue, nowMs) - endpoint, ofTenant));
    const total = Math.min(capacity, due);
    ofTenants.set(tenantId, ofTenant - total);
    return { queue, total, tasks: TASKS_PER_ENDPOINT - tasks, passes: 0, isFull: capacity === 0 };
  });
}

function slotsAt(queue: LockedQueue, nowMs: number): number {
  return positionOf(queue.breaker, nowMs) === 'probe' ? 1 : slotsOf(queue);
}

/** Others get one message at a time: they show messages in order and limit their rate. */
export function slotsOf({ kind }: Pick<LockedQueue, 'kind'>): number {
  return kind === 'webhook' ? PER_ENDPOINT : 1;
}

const isDigest = ({ digestMinutes }: Pick<LockedQueue, 'digestMinutes'>): boolean => digestMinutes > 0;

function notBefore({ breaker }: LockedQueue, nowMs: number): number {
  return positionOf(breaker, nowMs) === 'open' ? breaker.untilMs : 0;
}

/** The transaction may claim once; its slots are released if it fails. */
export async function inClaimingTransaction<T>(
  deps: WorkerDeps,
  work: (client: PoolClient, claimNext: ClaimNext) => Promise<T>,
): Promise<T> {
  const { pool, slots } = deps;
  let taken: readonly TakenSlots[] = [];
  try {
    return await inTransaction(pool, (client) =>
      work(client, async (capacities) => {
        taken = takeSlots(slots, capacities);
        const claims = taken.length === 0 ? [] : await claimAt(deps, client, taken);
        for (const { capacity, total } of taken) slots.giveBack(total - sizeOf(claims, capacity), capacity.queue.isSlow);
        taken = taken.map(({ capacity }) => ({ capacity, total: sizeOf(claims, capacity) }));
        return claims;
      }),
    );
  } catch (error) {
    for (const { capacity, total } of taken) slots.giveBack(total, capacity.queue.isSlow);
    throw error;
  }
}

interface TakenSlots {
  readonly capacity: QueueCapacity;
  readonly total: number;
}

/** One slot for each queue before any gets a second. */
function takeSlots(slots: ProcessSlots, capacities: readonly QueueCapacity[]): TakenSlots[] {
  const totals = capacities.map(() => 0);
  for (let round = 0; round < PER_ENDPOINT; round++)
    capacities.forEach(({ queue, total }, at) => {
      if (round < total) totals[at] = (totals[at] ?? 0) + slots.take(1, queue.isSlow);
    });
  return capacities.map((capacity, at) => ({ capacity, total: totals[at] ?? 0 })).filter(({ total }) => total > 0);
}

async function claimAt({ worker, clock, pace }: WorkerDeps, client: PoolClient, taken: readonly TakenSlots[]): Promise<Claim[]> {
  const nowMs = clock();
  const orders = taken.map(({ capacity, total }) => ({
    endpointId: capacity.queue.endpointId,
    limit: isDigest(capacity.queue) ? DIGEST_MAX : total,
    taskLimit: isDigest(capacity.queue) ? DIGEST_MAX : Math.max(0, Math.min(total, capacity.tasks)),
    isDigest: isDigest(capacity.queue),
  }));
  const deliveries = groupByEndpoint(await claimDue(client, orders, { worker, nowMs, claimedBeforeMs: nowMs - pace.claimMs }));
  const secrets = deliveries.size === 0 ? new Map() : groupByEndpoint(await listSecrets(client, [...deliveries.keys()], nowMs));
  return taken.map(({ capacity: { queue, passes } }) => ({
    queue,
    deliveries: deliveries.get(queue.endpointId) ?? [],
    secrets: secrets.get(queue.endpointId) ?? [],
    passes,
  }));
}

function groupByEndpoint<T extends { readonly endpointId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(row.endpointId, [...(groups.get(row.endpointId) ?? []), row]);
  return groups;
}

/** Slots of a claim: a digest takes one. */
function sizeOf(claims: readonly Claim[], { queue }: QueueCapacity): number {
  const total = claims.find((claim) => claim.queue === queue)?.deliveries.length ?? 0;
  return isDigest(queue) ? Math.min(1, total) : total;
}
