import type { marketData } from '@market-state/contracts';
import { followStream, type GrpcClient } from '@market-state/grpc';

/** The data plane sends its health every second. */
const SILENCE_MS_MAX = 3_000;

export interface DataHealth {
  readonly reachable: boolean;
  /** Unhealthy components; empty before the first message. */
  readonly down: readonly string[];
  /** Symbols whose history is being filled from a recording, so that their data is not current. */
  readonly filling: readonly FillingSymbol[];
}

interface FillingSymbol {
  readonly symbol: string;
  /** Feed clock at which filling began, milliseconds since the epoch. */
  readonly fromMs: number;
}

export interface DataHealthWatch {
  current(): DataHealth;
  close(): Promise<void>;
}

function textOf({ reachable, down, filling }: DataHealth): string {
  return [reachable, ...down, ...filling.map(({ symbol }) => `filling:${symbol}`)].join();
}

export function watchDataHealth(
  client: GrpcClient<marketData.MarketDataServiceService>,
  onChange: (health: DataHealth) => void,
): DataHealthWatch {
  const unreachable: DataHealth = { reachable: false, down: [], filling: [] };
  let current = unreachable;
  let silence: NodeJS.Timeout | undefined;

  function accept(next: DataHealth): void {
    const changed = textOf(next) !== textOf(current);
    current = next;
    if (changed) onChange(next);
  }

  const stream = followStream<marketData.WatchDataHealthResponse>({
    open: (signal) => client.call.watchDataHealth({}, { signal }),
    onDown: () => accept(unreachable),
    onMessage({ components, filling }) {
      clearTimeout(silence);
      silence = setTimeout(() => accept(unreachable), SILENCE_MS_MAX).unref();
      accept({
        reachable: true,
        down: components
          .filter(({ healthy }) => !healthy)
          .map(({ component }) => component)
          .sort(),
        filling: filling.map(({ symbol, fromMs }) => ({ symbol, fromMs })),
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
