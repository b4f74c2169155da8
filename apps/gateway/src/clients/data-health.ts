import type { marketData } from '@market-state/contracts';
import { followStream, type GrpcClient } from '@market-state/grpc';

/** The data plane sends its health every second. */
const SILENCE_MS_MAX = 3_000;

export interface DataHealth {
  readonly reachable: boolean;
  /** Unhealthy components; empty before the first message. */
  readonly down: readonly string[];
  /** Symbols filled from a recording: their data is not current. */
  readonly filling: readonly FillingSymbol[];
  /** Symbols whose log is written only by imports of archives: their data is never current. */
  readonly imported: readonly string[];
}

export const UNREACHABLE: DataHealth = { reachable: false, down: [], filling: [], imported: [] };

interface FillingSymbol {
  readonly symbol: string;
  /** Feed clock at which filling began, milliseconds since the epoch. */
  readonly fromMs: number;
}

export interface DataHealthWatch {
  current(): DataHealth;
  close(): Promise<void>;
}

function textOf({ reachable, down, filling, imported }: DataHealth): string {
  return [reachable, ...down, ...filling.map(({ symbol }) => `filling:${symbol}`), ...imported].join();
}

export function watchDataHealth(
  client: GrpcClient<marketData.MarketDataServiceService>,
  onChange: (health: DataHealth) => void,
): DataHealthWatch {
  let current = UNREACHABLE;
  let silence: NodeJS.Timeout | undefined;

  function accept(next: DataHealth): void {
    const changed = textOf(next) !== textOf(current);
    current = next;
    if (changed) onChange(next);
  }

  const stream = followStream<marketData.WatchDataHealthResponse>({
    open: (signal) => client.call.watchDataHealth({}, { signal }),
    onDown: () => accept(UNREACHABLE),
    onMessage({ components, filling, imported }) {
      clearTimeout(silence);
      silence = setTimeout(() => accept(UNREACHABLE), SILENCE_MS_MAX).unref();
      accept({
        reachable: true,
        down: components
          .filter(({ healthy }) => !healthy)
          .map(({ component }) => component)
          .sort(),
        filling: filling.map(({ symbol, fromMs }) => ({ symbol, fromMs })),
        imported,
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
