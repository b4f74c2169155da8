import type { marketData } from '@market-state/contracts';
import { followStream, type GrpcClient } from '@market-state/grpc';

/** The data plane sends its health every second. */
const SILENCE_MS_MAX = 3_000;

export interface DataHealth {
  readonly reachable: boolean;
  /** Unhealthy components; empty before the first message. */
  readonly down: readonly string[];
}

export interface DataHealthWatch {
  current(): DataHealth;
  close(): Promise<void>;
}

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
