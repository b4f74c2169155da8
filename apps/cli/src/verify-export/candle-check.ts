import type { NamedCells } from '@market-state/market-data';
import type { Manifest } from './manifest';
import type { RestApi } from '../io/rest-api';
import type { CheckedRow, RowCheck } from './row-checks';

type Candle = Readonly<Record<string, unknown>>;

interface Page {
  readonly rows: readonly Candle[];
  readonly next_cursor: string | null;
}

/** Takes the rows of a candle file: nothing of a candle can be worked out from the candle alone. */
export const uncheckedCandle: RowCheck = (cells) => ({ timeMs: Number(cells['open_ts_ms']), line: undefined, faults: [] });

/** Compares candles, in their order, with those that the API gives for the same symbol, length and instant. */
export class CandleComparison {
  private readonly candles: AsyncGenerator<Candle>;

  constructor(api: RestApi, { request }: Manifest, symbol: string) {
    this.candles = candlesOf(api, { symbol, tf: request.tf ?? '', from: request.from_utc, to: request.to_utc, as_of: request.as_of_utc });
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

async function* candlesOf(api: RestApi, query: Readonly<Record<string, string | number>>): AsyncGenerator<Candle> {
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page = await api.get<Page>('/api/public/data/candles', { ...query, cursor });
    yield* page.rows;
    cursor = page.next_cursor;
  }
}

function differences(cells: NamedCells, candle: Candle): string[] {
  return Object.entries(candle).flatMap(([name, value]) => {
    if (!(name in cells) || isSame(name, cells[name], value)) return [];
    return [`${name} is ${String(cells[name])}, the API has ${String(value)}`];
  });
}

/** Whether a cell says what the API says: in CSV all is text, in Parquet a time has no `T` and `Z`. */
function isSame(name: string, cell: unknown, value: unknown): boolean {
  if (value === null || cell === null || cell === undefined) return value === (cell ?? null);
  if (name.endsWith('_utc')) return timeOf(String(cell)) === Date.parse(String(value));
  return String(cell) === String(value);
}

function timeOf(text: string): number {
  return Date.parse(text.endsWith('Z') ? text : `${text.replace(' ', 'T')}Z`);
}
