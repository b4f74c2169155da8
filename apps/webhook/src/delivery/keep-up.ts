import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import { withAdvisoryLock } from '@market-state/postgres';
import { forgetAttempts } from '../store/attempts';
import { listUncharged } from '../store/charges';
import { countEndpoints, countOpenBreakers, forgetBodies, forgetPayloads, forgetSecrets } from '../store/upkeep';
import { advanceTasks } from '../tasks/advance-tasks';
import type { WorkerDeps } from './worker-deps';

/** One process at a time keeps up. */
const LOCK = 6_310_016;
const DAY_MS = 86_400_000;
const BODIES_MS = 14 * DAY_MS;
const ATTEMPTS_MS = 30 * DAY_MS;
const AT_ONCE = 1_000;

/** In rounds: makes charges again that were lost, takes tasks further, and forgets what is past its time. */
export function keepUp(deps: WorkerDeps): Closable {
  return repeatUntilClosed(() => withAdvisoryLock(deps.pool, LOCK, () => round(deps)), {
    intervalMs: deps.pace.upkeepMs,
    onError: (error) => deps.logger.warn({ err: error }, 'the upkeep of deliveries failed; it is tried again'),
  });
}

async function round(deps: WorkerDeps): Promise<void> {
  const { pool, clock, pace, metrics } = deps;
  const nowMs = clock();
  await advanceTasks(deps);
  await chargeAgain(deps, nowMs - pace.claimMs);
  await allOf((limit) => forgetBodies(pool, nowMs - BODIES_MS, limit));
  await allOf((limit) => forgetPayloads(pool, nowMs - BODIES_MS, limit));
  await allOf((limit) => forgetAttempts(pool, nowMs - ATTEMPTS_MS, limit));
  await forgetSecrets(pool, nowMs);
  metrics.breakersOpen(await countOpenBreakers(pool, nowMs));
  metrics.endpoints(await countEndpoints(pool));
}

/** Takes step after step, each short enough to hold nobody up, until nothing is left. */
async function allOf(step: (limit: number) => Promise<number>): Promise<void> {
  while ((await step(AT_ONCE)) === AT_ONCE);
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
