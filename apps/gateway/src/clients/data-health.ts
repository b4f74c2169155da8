import type { marketData } from '@market-state/contracts';
import { followStream, type GrpcClient } from '@market-state/grpc';

/** Silence after which the data plane counts as unreachable, milliseconds; it says something every second. */
const SILENCE_MS_MAX = 3_000;

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

/** Listens to what the data plane says of its health; `onChange` hears of each change. */
export function watchDataHealth(
  client: GrpcClient<marketData.MarketDataServiceService>,
  onChange: (health: DataHealth) => void,
): DataHealthWatch {
  const unreachable: DataHealth = { reachable: false, down: [] };
  let current = unreachable;
  let silence: NodeJS.Timeout | undefined;

  function accept(next: DataHealth): void {
    const changed = next.reachable !== current.reachable || next.down.join() !== current.down.join();
    current = next;
    if (changed) onChange(next);
  }

  const stream = followStream<marketData.WatchDataHealthResponse>({
    open: (signal) => client.call.watchDataHealth({}, { signal }),
    onDown: () => accept(unreachable),
    onMessage({ components }) {
      clearTimeout(silence);
      silence = setTimeout(() => accept(unreachable), SILENCE_MS_MAX).unref();
      accept({
        reachable: true,
        down: components
          .filter(({ healthy }) => !healthy)
          .map(({ component }) => component)
          .sort(),
      });
    },
  });

  return {
    current: () => current,
    async close() {
      clearTimeout(silence);
      await stream.close();
    },
  };
}
