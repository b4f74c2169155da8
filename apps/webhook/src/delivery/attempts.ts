import { backoffMs, type Closable, delay } from '@market-state/lifecycle';
import { isTransientDatabaseError } from '@market-state/postgres';
import { searchDueWork, startWakeUpWorkers } from '@market-state/queue';
import type { PoolClient } from 'pg';
import type { ClaimedDelivery } from '../store/deliveries';
import { claimDueQueues, advanceQueues, lockQueues } from '../store/endpoint-queues';
import { type Ended, GONE, isOk } from './attempt-result';
import { createBatches, type Groups } from './batches';
import { ENDPOINT_QUEUES } from './wake-ups';
import { type Claim, type QueueVisit, workOnQueues, inClaimingTransaction, type QueueCapacity, slotsOf } from './claim-deliveries';
import { sendDeliveries } from './send-delivery';
import { MustBeAlone, inRounds, type QueueAfter, updateHealth, type Written } from './update-health';
import type { WorkerDeps } from './worker-deps';
import { creditsOf, type MessageDraft, OPERATIONAL_META } from '../messages/message';
import { recordMessages } from '../messages/record-messages';
import { type AfterAttempt, insertAttempts } from '../store/attempts';
import { takePositions } from '../store/messages';
import { positionOf, waitAfter } from './retry-policy';

const AT_ONCE = 8;
const QUEUES_MAX = 2_000;
const KEYS_MAX = 100;
/** Few concurrent batches per kind, so that each grows under load. */
const BATCHES_AT_ONCE = 2;
const TRIES = 8;

/** Handles wake-ups until closed. */
export function startWorkerLoop(deps: WorkerDeps, redisUrl: string): { close(): Promise<void> } {
  const attempts = createAttempts(deps);
  const workers = startWakeUpWorkers(ENDPOINT_QUEUES, { redisUrl, logger: deps.logger, concurrency: AT_ONCE }, attempts.visit);
  return {
    async close() {
      await workers.close();
      await attempts.close();
    },
  };
}

/** Finds queues that became due or whose wake-up was lost. Every worker runs this. */
export function searchDueQueues({ pool, notifier, clock, pace, logger }: WorkerDeps): Closable {
  return searchDueWork({
    search: () => claimDueQueues(pool, { nowMs: clock(), silentSinceMs: clock() - pace.silentMs, limit: QUEUES_MAX }),
    notify: (wakeUps) => notifier.notify(wakeUps),
    everyMs: pace.searchMs,
    logger,
  });
}

interface Attempts {
  visit(visit: QueueVisit): Promise<void>;
  /** Stops claiming; resolves once running attempts have ended. */
  close(): Promise<void>;
}

/** Batches queue checks and results that arrive while earlier ones are processed. */
function createAttempts(deps: WorkerDeps): Attempts {
  const { slots, waitingTenants, logger } = deps;
  const underWay = new Set<Promise<void>>();
  let isClosing = false;

  const visits = createBatches<QueueVisit>({
    keyOf: ({ endpointId }) => endpointId,
    atOnce: BATCHES_AT_ONCE,
    keysMax: () => Math.min(KEYS_MAX, slots.left()),
    ready: slots.free,
    work: (groups) => workOnQueues(deps, groups, begin),
    undone,
  });
  const results = createBatches<Ended>({
    keyOf: ({ queue }) => queue.endpointId,
    atOnce: BATCHES_AT_ONCE,
    keysMax: () => KEYS_MAX,
    work: write,
    undone,
  });

  function undone(error: unknown): void {
    if (!(error instanceof MustBeAlone)) logger.warn({ err: error }, 'batch of endpoints failed; retrying each separately');
  }

  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  function begin(claim: Claim): void {
    for (const deliveries of attemptsOf(claim)) track(sendDeliveries(deps, { ...claim, deliveries }, results.add));
  }

  async function write(groups: Groups<Ended>): Promise<readonly string[]> {
    const record = () => recordResults(deps, groups, isClosing);
    const { claims, left } = await (groups.size === 1 ? persist(record) : record());
    claims.forEach(begin);
    const passedOn = new Map(claims.map(({ queue, deliveries }) => [queue.endpointId, deliveries.length]));
    const remaining = new Set(left);
    for (const [endpointId, ended] of groups)
      if (!remaining.has(endpointId) && (passedOn.get(endpointId) ?? 0) < ended.length) serveNext(ended[0]?.queue.tenantId ?? '');
    return left;
  }

  function serveNext(tenantId: string): void {
    const endpointId = isClosing ? undefined : waitingTenants.next(tenantId);
    if (endpointId === undefined) return;
    const visit = visits.add({ endpointId });
    track(visit.catch((error: unknown) => logger.warn({ err: error, endpoint_id: endpointId }, 'processing an endpoint queue failed')));
  }

  return {
    visit: visits.add,
    async close() {
      isClosing = true;
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** A digest is sent in one attempt. */
function attemptsOf({ queue, deliveries }: Claim): readonly (readonly ClaimedDelivery[])[] {
  if (queue.digestMinutes === 0) return deliveries.map((delivery) => [delivery]);
  return deliveries.length === 0 ? [] : [deliveries];
}

/** A lost receipt causes a duplicate delivery, so the write is retried through database outages. */
async function persist<T>(write: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await write();
    } catch (error) {
      if (tried === TRIES || !isTransientDatabaseError(error)) throw error;
      await delay(backoffMs(tried, { minMs: 50, maxMs: 2_000 }));
    }
  }
}

/** After this many passes the wake-up is requeued, because other workers wait too. */
const PASSES_MAX = 16;
/** The same if another endpoint of the tenant waits for the slots. */
const PASSES_WAITED_FOR = 4;
const CHANGED_NOTHING: AfterAttempt = { isReleased: false, isExhausted: false };

interface Plan extends Ended {
  readonly waitMs: number | undefined;
}

/** Longest pause that a destination may request. */
const PAUSE_MS_MAX = 6 * 3_600_000;

interface Recorded {
  readonly claims: readonly Claim[];
  /**
   * Endpoints, of several, whose results must be written separately: their queue is locked, or their owner may have to
   * be notified.
   */
  readonly left: readonly string[];
}

/**
 * One transaction. Freed slots pass to the next due deliveries of the same endpoint unless others wait for a slot.
 * @param isLast true if the process claims no more
 */
async function recordResults(deps: WorkerDeps, results: Groups<Ended>, isLast: boolean): Promise<Recorded> {
  const isAlone = results.size === 1;
  const plans = [...results.values()].flat().map((ended) => planOf(deps, ended));
  const toNotify = new Set(isAlone ? [] : plans.filter(mayNotify).map(({ queue }) => queue.endpointId));
  const endpointIds = [...results.keys()].filter((endpointId) => !toNotify.has(endpointId));
  if (endpointIds.length === 0) return { claims: [], left: [...toNotify] };
  const { wakeUps, claims, locked } = await inClaimingTransaction(deps, async (client, claimNext) => {
    const nowMs = deps.clock();
    // Lock order: message positions before queues. A failure may create a notification.
    const failed = isAlone ? plans.filter(({ result }) => !isOk(result)) : [];
    if (failed.length > 0) await takePositions(client, new Map(failed.map(({ queue }) => [queue.tenantId, 0])));
    const queues = await lockQueues(client, endpointIds);
    const found = new Set(queues.map(({ endpointId }) => endpointId));
    // If the only queue is missing, its endpoint was deleted; its receipts are still written.
    const written = await writeReceipts(client, deps, {
      plans: plans.filter(({ queue }) => isAlone || found.has(queue.endpointId)),
      nowMs,
    });
    const fared = queues.map((queue) => ({ queue, written: written.get(queue.endpointId) ?? [] }));
    const after = await updateHealth(client, fared, { nowMs, mayDisable: isAlone });
    const next = await claimNext(after.flatMap((one) => capacityAfter(deps, one, { isLast, nowMs })));
    const advanced = await advanceQueues(client, after.map(advanceOf), { nowMs, claimMs: deps.pace.claimMs });
    const recorded = await recordMessages(client, after.flatMap(draftsOf), nowMs);
    return {
      wakeUps: [...advanced, ...recorded.wakeUps],
      claims: next,
      locked: isAlone ? [] : endpointIds.filter((endpointId) => !found.has(endpointId)),
    };
  });
  await deps.notifier.notify(wakeUps);
  return { claims, left: [...locked, ...toNotify] };
}

function planOf({ random, pace }: WorkerDeps, ended: Ended): Plan {
  const { queue, delivery, result } = ended;
  if (isOk(result) || isLastAttempt(ended)) return { ...ended, waitMs: undefined };
  const planned = waitAfter({
    step: delivery.scheduleStep,
    status: result.status ?? 0,
    outcome: result.class,
    retryAfterMs: result.retryAfterSeconds === undefined ? undefined : result.retryAfterSeconds * 1_000,
    // Deliveries of a digest stay together.
    random: queue.digestMinutes > 0 ? 0.5 : random(),
  });
  const pauseMs = result.pauseMs === undefined ? undefined : Math.ceil(Math.min(result.pauseMs, PAUSE_MS_MAX) / pace.hurry);
  const waitMs = planned === undefined ? undefined : (pauseMs ?? Math.ceil(planned / pace.hurry));
  return { ...ended, result: pauseMs === undefined ? result : { ...result, pauseMs }, waitMs };
}

/** A destination that refuses everything ends its other deliveries by being disabled; a test disables nothing. */
function isLastAttempt({ delivery, result }: Ended): boolean {
  if (result.isFinal === 'destination') return delivery.message.event_kind === 'webhook.test';
  return result.class === 'body_gone' || result.isFinal === 'message';
}

function mayNotify({ result, waitMs }: Plan): boolean {
  return !isOk(result) && (waitMs === undefined || result.status === GONE || result.isFinal !== undefined);
}

async function writeReceipts(
  client: PoolClient,
  deps: WorkerDeps,
  { plans, nowMs }: { readonly plans: readonly Plan[]; readonly nowMs: number },
): Promise<ReadonlyMap<string, readonly Written[]>> {
  const after = new Map<string, AfterAttempt>();
  for (const round of inRounds(plans, ({ delivery }) => delivery.deliveryId)) {
    const made = round.map(({ attemptId, delivery, startedMs, result, waitMs }) => ({
      attemptId,
      delivery,
      startedMs,
      durationMs: Math.round(result.durationMs),
      status: result.status ?? 0,
      outcome: result.class,
      snippet: result.snippet,
      reason: result.explanation ?? '',
      testTarget: result.testTarget,
      nextDueMs: waitMs === undefined ? null : nowMs + waitMs,
    }));
    for (const [attemptId, one] of await insertAttempts(client, made, { worker: deps.worker, nowMs })) after.set(attemptId, one);
  }
  const written = new Map<string, Written[]>();
  for (const plan of plans) {
    const { endpointId } = plan.queue;
    written.set(endpointId, [...(written.get(endpointId) ?? []), { ...plan, after: after.get(plan.attemptId) ?? CHANGED_NOTHING }]);
  }
  return written;
}

/** Bounded by the slots that the attempts free, so that neither endpoint nor tenant exceeds its concurrency. */
function capacityAfter(
  { slots, waitingTenants, pace }: WorkerDeps,
  { queue, written }: QueueAfter,
  { isLast, nowMs }: { readonly isLast: boolean; readonly nowMs: number },
): QueueCapacity[] {
  const passes = Math.max(...written.map((one) => one.passes)) + 1;
  const isOpen = queue.status === 'live' && positionOf(queue.breaker, nowMs) === 'closed';
  const passesMax = waitingTenants.isWaitedFor(queue.tenantId) ? PASSES_WAITED_FOR : PASSES_MAX;
  if (!isOpen || isLast || passes > passesMax || slots.isWaitedFor()) return [];
  const left = written.filter(({ after, delivery }) => after.isReleased && delivery.claimedMs > nowMs - pace.claimMs);
  const total = queue.digestMinutes > 0 ? Math.min(1, left.length) : left.length;
  return [{ queue, total, tasks: left.filter(({ delivery }) => delivery.isTask).length, passes }];
}

function advanceOf({ queue }: QueueAfter) {
  const { endpointId, breaker } = queue;
  return { endpointId, slots: breaker.untilMs > 0 ? 1 : slotsOf(queue), notBeforeMs: breaker.untilMs, isAnswered: false };
}

function draftsOf({ written, drafts }: QueueAfter) {
  const exhausted = written.filter(({ after, delivery }) => after.isExhausted && creditsOf(delivery.message.event_kind) > 0);
  return [...drafts, ...exhausted.map(exhaustedDraft)];
}

/** Notifies the tenant's other endpoints that a message is no longer retried. */
export function exhaustedDraft({ delivery, result }: Ended): MessageDraft {
  const { deliveryId, endpointId, tenantId, message } = delivery;
  return {
    tenantId,
    eventKind: 'message.exhausted',
    occasion: `message.exhausted ${deliveryId}`,
    symbol: '',
    data: { endpoint_id: endpointId, message_id: message.message_id, event_kind: message.event_kind, last_class: result.class },
    meta: OPERATIONAL_META,
    credits: 0,
    exceptEndpointId: endpointId,
  };
}
