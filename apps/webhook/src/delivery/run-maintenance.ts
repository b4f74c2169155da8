import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import { inTransaction, type Queryable, withAdvisoryLock } from '@market-state/postgres';
import type { Pool } from 'pg';
import { forgetAttempts } from '../store/attempts';
import { forgetMailCounts } from '../store/confirmations';
import { listUncharged } from '../store/deliveries';
import { lockQueue, wakeQueues } from '../store/endpoint-queues';
import { finishTask, listOpenTasks, noteTask, type OpenTask, sendPage } from '../store/tasks';
import {
  countEndpoints,
  countOpenBreakers,
  findLongestDue,
  forgetBodies,
  forgetMessages,
  forgetPayloads,
  forgetSecrets,
  forgetTasks,
  type MessageCursor,
} from '../store/maintenance';
import type { WakeUp } from './wake-ups';
import type { WorkerDeps } from './worker-deps';

/** Advisory lock. */
const LOCK = 6_310_016;
const CHARGES_AT_ONCE = 1_000;

/** Every process measures the backlog; one at a time repeats lost charges, advances tasks and deletes expired data. */
export function startMaintenance(deps: WorkerDeps): Closable {
  const forget = createForgetting(deps.pool);
  return repeatUntilClosed(() => measure(deps).then(() => withAdvisoryLock(deps.pool, LOCK, () => round(deps, forget))), {
    intervalMs: deps.pace.maintenanceMs,
    onError: (error) => deps.logger.warn({ err: error }, 'delivery maintenance failed; will retry'),
  });
}

async function round(deps: WorkerDeps, forget: (nowMs: number) => Promise<void>): Promise<void> {
  const { clock, pace } = deps;
  const nowMs = clock();
  await advanceTasks(deps);
  await chargeAgain(deps, nowMs - pace.claimMs);
  await forget(nowMs);
}

/** Measured by every process: one that lost the lock would keep reporting old values. */
async function measure({ pool, clock, metrics }: WorkerDeps): Promise<void> {
  const nowMs = clock();
  metrics.longestDue(await findLongestDue(pool, nowMs));
  metrics.breakersOpen(await countOpenBreakers(pool, nowMs));
  metrics.endpoints(await countEndpoints(pool));
}

async function chargeAgain({ pool, credits }: WorkerDeps, deliveredBeforeMs: number): Promise<void> {
  const withoutCredits = new Set<string>();
  for (const { deliveryId, tenantId } of await listUncharged(pool, deliveredBeforeMs, CHARGES_AT_ONCE)) {
    if (withoutCredits.has(tenantId)) continue;
    const credit = await credits.hold(tenantId);
    credit?.charge(deliveryId);
    if (credit === undefined) withoutCredits.add(tenantId);
  }
}

const TASKS_MAX = 50;
const PAGE = 500;

/** A task's next page is due once the previous one is sent. */
async function advanceTasks({ pool, notifier, clock }: Pick<WorkerDeps, 'pool' | 'notifier' | 'clock'>): Promise<void> {
  for (const task of await listOpenTasks(pool, TASKS_MAX)) await notifier.notify(await advance(pool, task, clock()));
}

function advance(pool: Pool, task: OpenTask, nowMs: number): Promise<WakeUp[]> {
  return inTransaction(pool, async (client) => {
    // Lock order: the endpoint queue before its deliveries. If it is missing, the endpoint was deleted.
    if (!(await lockQueue(client, task.tenantId, task.endpointId)) || task.isComplete) {
      await finishTask(client, task.taskId, nowMs);
      return [];
    }
    const page = await sendPage(client, task, nowMs, PAGE);
    await noteTask(client, task, page);
    return page.found > 0 ? wakeQueues(client, [task.endpointId], nowMs) : [];
  });
}

const DAY_MS = 86_400_000;
const BODIES_KEPT_MS = 14 * DAY_MS;
const RECEIPTS_KEPT_MS = 30 * DAY_MS;
const MAIL_COUNTS_KEPT_MS = 2 * DAY_MS;
const ROWS_AT_ONCE = 1_000;
/** Maximum steps of a kind per round, which bounds the delay of other maintenance. */
const STEPS_MAX = 50;

export function createForgetting(on: Queryable): (nowMs: number) => Promise<void> {
  let cursor: MessageCursor | undefined;

  /** Skips messages that receipts refer to. Each round continues where the last one stopped and restarts at the end. */
  async function removeMessages(beforeMs: number): Promise<void> {
    for (let step = 0; step < STEPS_MAX; step += 1) {
      cursor = await forgetMessages(on, { beforeMs, after: cursor, limit: ROWS_AT_ONCE });
      if (cursor === undefined) return;
    }
  }

  return async (nowMs) => {
    await inSteps((limit) => forgetBodies(on, nowMs - BODIES_KEPT_MS, limit));
    await inSteps((limit) => forgetPayloads(on, nowMs - BODIES_KEPT_MS, limit));
    await inSteps((limit) => forgetAttempts(on, nowMs - RECEIPTS_KEPT_MS, limit));
    await forgetTasks(on, nowMs - RECEIPTS_KEPT_MS);
    await removeMessages(nowMs - RECEIPTS_KEPT_MS);
    await forgetSecrets(on, nowMs);
    await forgetMailCounts(on, nowMs - MAIL_COUNTS_KEPT_MS);
  };
}

/** Short steps, to keep locks short, until nothing is left or the round is over. */
async function inSteps(step: (limit: number) => Promise<number>): Promise<void> {
  for (let taken = 0; taken < STEPS_MAX; taken += 1) if ((await step(ROWS_AT_ONCE)) < ROWS_AT_ONCE) return;
}
