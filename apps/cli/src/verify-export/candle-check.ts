import type { NamedCells } from '@market-state/market-data';
import type { Manifest } from './manifest';
import type { MarketState, Params } from '@market-state/client';
import type { CheckedRow, RowCheck } from './row-checks';

type Candle = Readonly<Record<string, unknown>>;

/** Takes the rows of a candle file: nothing of a candle can be worked out from the candle alone. */
export const uncheckedCandle: RowCheck = (cells) => ({ timeMs: Number(cells['open_ts_ms']), line: undefined, faults: [] });

/** Compares candles, in their order, with those that the API gives for the same symbol, length and instant. */
export class CandleComparison {
  private readonly candles: AsyncIterator<Candle>;

  constructor(ms: MarketState, { request }: Manifest, symbol: string, signal: AbortSignal) {
    const [from, to, as_of] = [request.from_utc, request.to_utc, request.as_of_utc].map(String);
    const query = { symbol, tf: request.tf ?? '', from, to, as_of } as Params<'listCandles'>;
    this.candles = ms.candles.rows(query, { signal })[Symbol.asyncIterator]();
  }

  /** Compares a row with the next candle of the API. */
  async check(cells: NamedCells): Promise<CheckedRow> {
    const timeMs = Number(cells['open_ts_ms']);
    const next = await this.candles.next();
    if (next.done === true) return { timeMs, line: undefined, faults: ['the API has no candle for it'] };
    return { timeMs, line: undefined, faults: differences(cells, next.value) };
  }

  /** Candles that the API has after the last row. */
  async restTotal(): Promise<number> {
    let total = 0;
    while ((await this.candles.next()).done !== true) total += 1;
    return total;
  }
}

function differences(cells: NamedCells, candle: Candle): string[] {
  return Object.entries(candle).flatMap(([name, value]) => {
    if (!(name in cells) || isSame(name, cells[name], value)) return [];
    return [`${name} is ${String(cells[name])}, the API has ${String(value)}`];
  });
}

/** Compares a cell with the API's value; in CSV every cell is text. */
function isSame(name: string, cell: unknown, value: unknown): boolean {
  if (value === null || cell === null || cell === undefined) return value === (cell ?? null);
  if (name.endsWith('_utc')) return Date.parse(String(cell)) === Date.parse(String(value));
  return String(cell) === String(value);
}
