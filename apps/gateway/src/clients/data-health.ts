import type { marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { delay } from '@market-state/lifecycle';

const POLL_EVERY_MS = 1_000;
const POLL_DEADLINE_MS = 2_000;

/** What the data plane last said of itself. */
export interface DataHealth {
  readonly reachable: boolean;
  /** Components that do not work, by name; empty when all do or nothing was heard yet. */
  readonly down: readonly string[];
}

export interface DataHealthWatch {
  current(): DataHealth;
  close(): Promise<void>;
}

/** Asks the data plane once a second; `onChange` hears of each change. */
export function watchDataHealth(client: GrpcClient<marketData.MarketDataServiceService>, onChange: (health: DataHealth) => void): DataHealthWatch {
  const stop = new AbortController();
  let current: DataHealth = { reachable: false, down: [] };

  function accept(next: DataHealth): void {
    const changed = next.reachable !== current.reachable || next.down.join() !== current.down.join();
    current = next;
    if (changed) onChange(next);
  }

  async function poll(): Promise<void> {
    try {
      const { components } = await client.call.getDataHealth({}, { deadlineMs: POLL_DEADLINE_MS, signal: stop.signal });
      accept({ reachable: true, down: components.filter((component) => !component.healthy).map(({ component }) => component).sort() });
    } catch {
      if (!stop.signal.aborted) accept({ reachable: false, down: [] });
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await poll();
      await delay(POLL_EVERY_MS, stop.signal).catch(() => undefined);
    }
  }

  const running = run();
  return {
    current: () => current,
    async close() {
      stop.abort();
      await running;
    },
  };
}
