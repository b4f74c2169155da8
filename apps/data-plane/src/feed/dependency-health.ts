import type { Health } from '@market-state/grpc';

const probeIntervalMs = 1_000;
const probeLimitMs = 2_000;

/**
 * Probes each dependency every second and tells the health service. A probe that takes longer than two seconds counts as
 * failed.
 */
export function watchDependencies(health: Health, probes: Readonly<Record<string, () => Promise<unknown>>>): { close(): void } {
  let isClosed = false;
  const timers = new Map<string, NodeJS.Timeout>();

  async function probe(dependency: string, ask: () => Promise<unknown>): Promise<void> {
    const isThere = await Promise.race([ask().then(() => true), after(probeLimitMs)]).catch(() => false);
    if (isClosed) return;
    health.set(dependency, isThere);
    timers.set(dependency, setTimeout(() => void probe(dependency, ask), probeIntervalMs));
  }

  for (const [dependency, ask] of Object.entries(probes)) void probe(dependency, ask);
  return {
    close() {
      isClosed = true;
      timers.forEach((timer) => clearTimeout(timer));
    },
  };
}

function after(limitMs: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), limitMs).unref());
}
