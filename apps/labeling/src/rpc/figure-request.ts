import { type Fault } from '@market-state/errors';
import { optionalSpanFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { minuteOf, settledToMs } from '@market-state/service-figures';
import type { FigureSpan, FigureStore } from '../figures/figure-store';
import { assertServed } from './assert-served';

export interface FigureRpcDeps {
  readonly figures: FigureStore;
  /** Every symbol that is served. */
  readonly symbols: readonly string[];
  readonly clock: () => number;
}

interface FigureRequest {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The figures that a request asks for, up to the newest minute that can be judged, and since when each symbol is counted.
 * @throws ServiceError INVALID_ARGUMENT, with the faults of `spanFaults` too; NOT_FOUND for a symbol that is not served
 */
export async function readFigureRequest(
  { figures, symbols: served, clock }: FigureRpcDeps,
  { symbol, fromMs, toMs }: FigureRequest,
  spanFaults: Fault[],
): Promise<{ readonly span: FigureSpan; readonly since: ReadonlyMap<string, number>; readonly settledToMs: number }> {
  refuseFaults(symbol === '' ? [] : symbolFaults(symbol), optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]), spanFaults);
  if (symbol !== '') assertServed([symbol], served);
  const settledMs = settledToMs(clock());
  const symbols = symbol === '' ? served : [symbol];
  const span = { symbols, fromMs: minuteOf(fromMs), toMs: Math.min(settledMs, toMs) };
  return { span, since: await figures.countedSince(), settledToMs: settledMs };
}

/** Since when any of these symbols is counted; 0 where none is. */
export function countedFromMs(symbols: readonly string[], since: ReadonlyMap<string, number>): number {
  const first = Math.min(...symbols.map((symbol) => since.get(symbol) ?? Infinity));
  return first === Infinity ? 0 : first;
}
