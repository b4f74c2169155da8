import type { Health } from '@market-state/grpc';
import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';

/** What the service depends on, each by its own name. */
export const DEPENDENCIES = ['postgres', 'event_log', 'labels'] as const;
export type Dependency = (typeof DEPENDENCIES)[number];

const CHECK_INTERVAL_MS = 1_000;

/** Resolves when the dependency is there. */
export type Check = () => Promise<void>;

/** Checks every dependency once a second until closed, and logs each change. Resolves after the first check. */
export async function watchHealth(health: Health, checks: Readonly<Record<Dependency, Check>>, logger: Logger): Promise<Closable> {
  async function checkOne(dependency: Dependency): Promise<void> {
    const error = await checks[dependency]().then(
      () => undefined,
      (failure: unknown) => failure ?? new Error('the check failed'),
    );
    const before = health.get(dependency);
    health.set(dependency, error === undefined);
    if (before === true && error !== undefined) logger.warn({ dependency, err: error }, 'dependency lost');
    if (before === false && error === undefined) logger.info({ dependency }, 'dependency there');
  }

  async function checkAll(): Promise<void> {
    await Promise.all(DEPENDENCIES.map(checkOne));
  }

  await checkAll();
  return runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      await delay(CHECK_INTERVAL_MS, signal).catch(() => undefined);
      await checkAll();
    }
  });
}
