import { backoffMs, type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import { isTransientDatabaseError } from '@market-state/postgres';
import { labelSymbol, type LabelSymbolDeps } from './label-symbol';

const RETRY = { minMs: 100, maxMs: 5_000 };

/** Labels a symbol until closed. After a failure it goes on from the saved state, which makes the same packets again. */
export function keepLabeling(deps: LabelSymbolDeps, symbol: string): Closable {
  let failures = 0;
  const observed: LabelSymbolDeps = {
    ...deps,
    onPacket(packet) {
      failures = 0;
      deps.onPacket(packet);
    },
  };

  return runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      try {
        await labelSymbol(observed, symbol, signal);
      } catch (error) {
        if (signal.aborted) return;
        const retryInMs = backoffMs(failures, RETRY);
        const level = isTransientDatabaseError(error) ? 'warn' : 'error';
        deps.logger[level]({ symbol, err: error, retryInMs }, 'labelling goes back to the saved state');
        deps.metrics.restarts.inc({ symbol });
        failures += 1;
        await delay(retryInMs, signal).catch(() => undefined);
      }
    }
  });
}
