import { backoffMs, type Closable, delay } from '@market-state/lifecycle';
import { isTransientDatabaseError } from '@market-state/postgres';
import { searchDueWork, startWakeUpWorkers } from '@market-state/queue';
import type { ClaimedDelivery } from '../store/deliveries';
import { claimDueQueues } from '../store/endpoint-queues';
import type { Ended } from './attempt-result';
import { createBatches, type Groups } from './batches';
import { ENDPOINT_QUEUES } from './wake-ups';
import { type Claim, type QueueVisit, workOnQueues } from './claim-deliveries';
import { recordResults } from './record-results';
import { sendDeliveries } from './send-delivery';
import { MustBeAlone } from './update-health';
import type { WorkerDeps } from './worker-deps';

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
