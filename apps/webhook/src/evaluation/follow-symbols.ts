import type { EvaluatorDeps } from './evaluator-deps';
import { followSymbol, type SymbolFollower } from './follow-symbol';

/** Symbols that are worked on at a time: each takes two connections. */
const AT_ONCE = 4;

/** Looks at the packets of every symbol, a few symbols at a time. */
export interface SymbolsFollower {
  /** There is something new of these, perhaps. */
  wake(symbols: readonly string[]): void;
  /** Resolves when the packets that are looked at are done with. */
  close(): Promise<void>;
}

export function followSymbols(deps: EvaluatorDeps): SymbolsFollower {
  const followers = new Map<string, SymbolFollower>();
  const waiting = new Set<string>();
  const working = new Map<string, Promise<void>>();
  const closing = new AbortController();

  function workOn(): void {
    for (const symbol of waiting) {
      if (closing.signal.aborted || working.size >= AT_ONCE) return;
      if (working.has(symbol)) continue;
      waiting.delete(symbol);
      const follower = followers.get(symbol) ?? followSymbol(deps, symbol, closing.signal);
      followers.set(symbol, follower);
      const work = follower
        .catchUp()
        .catch((error: unknown) => deps.logger.warn({ err: error, symbol }, 'packets could not be looked at; they will be'))
        .finally(() => {
          working.delete(symbol);
          workOn();
        });
      working.set(symbol, work);
    }
  }

  const wake = (symbols: readonly string[]): void => {
    for (const symbol of symbols) waiting.add(symbol);
    workOn();
  };
  return {
    wake,
    async close() {
      closing.abort();
      await Promise.all(working.values());
    },
  };
}
