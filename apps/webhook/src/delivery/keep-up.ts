import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import { withAdvisoryLock } from '@market-state/postgres';
import { listUncharged } from '../store/charges';
import { countEndpoints, countOpenBreakers, findLongestDue } from '../store/upkeep';
import { advanceTasks } from '../tasks/advance-tasks';
import { createForgetting } from './forget-past';
import type { WorkerDeps } from './worker-deps';

/** One process at a time keeps up. */
const LOCK = 6_310_016;
const AT_ONCE = 1_000;

/**
 * In rounds: measures what waits; and, one process at a time, makes charges again that were lost, takes tasks further, and forgets what is
 * past its time.
 */
export function keepUp(deps: WorkerDeps): Closable {
  const forget = createForgetting(deps.pool);
  return repeatUntilClosed(() => measure(deps).then(() => withAdvisoryLock(deps.pool, LOCK, () => round(deps, forget))), {
    intervalMs: deps.pace.upkeepMs,
    onError: (error) => deps.logger.warn({ err: error }, 'the upkeep of deliveries failed; it is tried again'),
  });
}

async function round(deps: WorkerDeps, forget: (nowMs: number) => Promise<void>): Promise<void> {
  const { clock, pace } = deps;
  const nowMs = clock();
  await advanceTasks(deps);
  await chargeAgain(deps, nowMs - pace.claimMs);
  await forget(nowMs);
}

/** Every process says what it finds: one that no longer has the lock would go on saying what was. */
async function measure({ pool, clock, metrics }: WorkerDeps): Promise<void> {
  const nowMs = clock();
  metrics.longestDue(await findLongestDue(pool, nowMs));
  metrics.breakersOpen(await countOpenBreakers(pool, nowMs));
  metrics.endpoints(await countEndpoints(pool));
}

async function chargeAgain({ pool, credits }: WorkerDeps, deliveredBeforeMs: number): Promise<void> {
  const withoutCredits = new Set<string>();
  for (const { deliveryId, tenantId } of await listUncharged(pool, deliveredBeforeMs, AT_ONCE)) {
    if (withoutCredits.has(tenantId)) continue;
    const credit = await credits.hold(tenantId);
    credit?.charge(deliveryId);
    if (credit === undefined) withoutCredits.add(tenantId);
  }
}
