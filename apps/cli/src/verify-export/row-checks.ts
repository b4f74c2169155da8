import type { MarketState, Params } from '@market-state/client';
import type { LogDataset } from '@market-state/export-schema';
import { eventOfColumns, EventRowError, type DataChannel, type NamedCells, rowLine } from '@market-state/market-data';
import type { Manifest } from './manifest';

type Candle = Readonly<Record<string, unknown>>;

/** Candles can't be checked without the API. */
export const uncheckedCandle: RowCheck = (cells) => ({ timeMs: Number(cells['open_ts_ms']), line: undefined, faults: [] });

/** Compares candles in order with those of the API for the same symbol, length and instant. */
export class CandleComparison {
  private readonly candles: AsyncIterator<Candle>;

  constructor(ms: MarketState, { request }: Manifest, symbol: string, signal: AbortSignal) {
    const [from, to, as_of] = [request.from_utc, request.to_utc, request.as_of_utc].map(String);
    const query = { symbol, tf: request.tf ?? '', from, to, as_of } as Params<'listCandles'>;
    this.candles = ms.candles.rows(query, { signal })[Symbol.asyncIterator]();
  }

  async check(cells: NamedCells): Promise<CheckedRow> {
    const timeMs = Number(cells['open_ts_ms']);
    const next = await this.candles.next();
    if (next.done === true) return { timeMs, line: undefined, faults: ['the API has no such candle'] };
    return { timeMs, line: undefined, faults: differences(cells, next.value) };
  }

  /** Candles of the API after the last row. */
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

/** In CSV every cell is text. */
function isSame(name: string, cell: unknown, value: unknown): boolean {
  if (value === null || cell === null || cell === undefined) return value === (cell ?? null);
  if (name.endsWith('_utc')) return Date.parse(String(cell)) === Date.parse(String(value));
  return String(cell) === String(value);
}

interface CheckedRow {
  readonly timeMs: number;
  /** Line to chain; undefined if the file lacks columns for it. */
  readonly line: string | undefined;
  /** One sentence per fault. */
  readonly faults: readonly string[];
}

/** Checks the rows of a symbol in order. */
export type RowCheck = (cells: NamedCells) => CheckedRow | Promise<CheckedRow>;

const CHANNELS: Readonly<Record<LogDataset, DataChannel>> = {
  book: 'book',
  trades: 'trade',
  context: 'context',
  liquidations: 'liquidation',
};

/** Converts rows of the log back to their lines. */
export function logRowCheck(dataset: LogDataset): RowCheck {
  const channel = CHANNELS[dataset];
  return (cells) => {
    const timeMs = Number(cells['exchange_ts_ms']);
    try {
      const event = eventOfColumns(channel, cells);
      return { timeMs, line: event && rowLine(event), faults: [] };
    } catch (error) {
      if (!(error instanceof EventRowError)) throw error;
      return { timeMs, line: undefined, faults: error.faults };
    }
  };
}
