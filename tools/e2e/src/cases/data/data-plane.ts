import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@market-state/testing';
import {
  type Candle,
  createDataReader,
  type DataAnswer,
  type DataReader,
  type Gap,
  chainOver,
  inTradeOrder,
  productsOf,
  type Row,
  rowsOf,
  unitsOf,
} from './data-reader';
import { addressOf, type DataRoute, dataRoutes } from './data-routes';
import { describeStreams } from './data-streams';
import type { DefaultSystem } from '../../system/default-system';
import { answerPointer } from '../../system/served-document';

interface ArchivedHour {
  readonly channel: string;
  readonly rows: number;
  readonly bytes: number;
}

function archivedHours(dataDir: string, symbol: string): ArchivedHour[] {
  const folder = join(dataDir, 'archive');
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('manifest.json') && file.includes(`symbol=${symbol}/`))
    .map((file) => ({
      ...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as ArchivedHour),
      channel: /^channel=(\w+)/.exec(file)?.[1] ?? '',
    }));
}

const simulated = 'SIMUSD-PERP';
const recorded = ['BTCUSD-PERP', 'ETHUSD-PERP'];
const symbols = [...recorded, simulated];
/** Long enough for a seam: a pass of the recordings takes 650 s. */
const seamWindowMs = 11 * 60_000;
const minuteMs = 60_000;
/** Maximum delay of a trade behind a younger one. */
const lateMs = 5_000;

interface Trade {
  readonly pass: number;
  readonly venue_id: string;
  readonly price: string;
  readonly size: string;
  readonly aggressor_side: string;
  readonly exchange_time_utc: string;
}

function named(routes: readonly DataRoute[]): (readonly [string, DataRoute])[] {
  return routes.map((route) => [route.path, route]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Tests of the data-plane routes and streams, on a system with an hour of history. */
export function describeDataPlane(started: () => DefaultSystem): void {
  let shared: DefaultSystem;
  let reader: DataReader;
  beforeAll(() => {
    shared = started();
    reader = createDataReader(shared.api);
  });

  async function eventOf(symbol: string): Promise<string> {
    const { body } = await shared.api.getWithKey(`/api/public/market-state/latest?symbol=${symbol}`);
    return (body as unknown as { rows: { event_id: string }[] }).rows[0]?.event_id ?? '';
  }

  /** The last complete minute in milliseconds; waits for the first one. */
  async function closedMinute(symbol: string): Promise<number> {
    return waitUntil(`a minute of ${symbol} that is over`, async () => {
      const { rows } = await reader.read<{ rows: Candle[] }>('candles', { symbol });
      const start = Date.parse(rows.at(-2)?.open_time_utc ?? '');
      return (await reader.finishedWindow({ symbol, start, end: start + minuteMs, channels: 'liquidations' })) && start;
    });
  }

  describe.each(named(dataRoutes))('%s', (_path, route) => {
    it('requires a key', async () => {
      const { status, body } = await shared.api.get(addressOf(route, 'evt_any'));
      expect([status, body['code']]).toEqual([401, 'unauthenticated']);
    });

    it('names every fault of a request', async () => {
      const { status, body } = await shared.api.getWithKey(`${addressOf(route, await eventOf(simulated))}?${route.wrong}`);
      const places = (body['detail'] as { loc: string[] }[]).map(({ loc }) => loc.join('.'));
      expect([status, places.sort()]).toEqual([422, route.faults]);
    });
  });

  it.each(named(dataRoutes.filter(({ takesSymbol }) => takesSymbol)))(
    '%s names the served symbols when given an unknown one',
    async (_path, route) => {
      const { status, body } = await shared.api.getWithKey(`${addressOf(route, await eventOf(simulated))}?symbol=DOGEUSD-PERP`);
      expect([status, body['code'], body['symbols_served']]).toEqual([404, 'unknown_symbol', symbols]);
      for (const symbol of symbols) expect(body['detail']).toContain(symbol);
    },
  );

  describe.each(named(dataRoutes.filter(({ isStream }) => !isStream)))('%s', (_path, route) => {
    it.each(symbols)('matches the document for %s, and states its source', async (symbol) => {
      const address = addressOf(route, await eventOf(symbol));
      const { status, body } = await shared.api.getWithKey(route.takesSymbol ? `${address}?symbol=${symbol}` : address);
      expect([status, shared.served.check(answerPointer({ ...route, method: 'GET' }), body)]).toEqual([200, null]);
      const answer = body as unknown as DataAnswer;
      const [kind, state] = !route.takesSymbol
        ? ['multiple', 'synthetic']
        : symbol === simulated
          ? ['simulated', 'synthetic']
          : ['recorded', 'recorded_replay'];
      expect([answer.source.kind, answer.meta.response_semantics['response_state'], answer.meta.synthetic]).toEqual([
        kind,
        state,
        state === 'synthetic',
      ]);
      expect(answer.meta.response_semantics['live_current']).toBe(false);
    });
  });

  describe.each(symbols)('%s', (symbol) => {
    it('has a book that is in the log, never crossed', async () => {
      const book = await reader.read<{ bids: Row[]; asks: Row[]; venue_id: string; mid_price: string; spread_bps: number }>(
        'book/l2/latest',
        { symbol, depth: 10 },
      );
      const levels = (rows: readonly Row[]) => rows.map(({ price, size }) => [price, size]);
      const [bid = '', ask = ''] = [book.bids[0]?.price, book.asks[0]?.price];
      expect(unitsOf(bid)).toBeLessThan(unitsOf(ask));
      expect([levels(book.bids), levels(book.asks)].map(({ length }) => length)).toEqual([10, 10]);
      expect(2n * unitsOf(book.mid_price)).toBe(unitsOf(bid) + unitsOf(ask));
      expect(book.spread_bps).toBeCloseTo(((Number(ask) - Number(bid)) / Number(book.mid_price)) * 10_000, 4);
      const exchangeMs = Date.parse(String(book['exchange_time_utc']));
      const row = await waitUntil('the row of the book', async () => {
        const { rows } = await reader.window({ symbol, start: exchangeMs, end: exchangeMs + 1, channels: 'book' });
        return rowsOf(rows, 'book').find(({ venue_id: id }) => id === book.venue_id);
      });
      const top = (rows: Row['bids'] | undefined) => rows?.slice(0, 10).map(([price, size]) => [price, size]);
      expect([levels(book.bids), levels(book.asks)]).toEqual([top(row.bids), top(row.asks)]);
    });

    it("lists the log's trades", async () => {
      const { rows: listed } = await reader.read<{ rows: Trade[] }>('trades/latest', { symbol, limit: 1_000 });
      const start = Date.parse(listed.at(-1)?.exchange_time_utc ?? '') + 1;
      const end = Date.parse(listed[0]?.exchange_time_utc ?? '') - lateMs;
      const { rows } = await waitUntil('the rows of the trades', () => reader.finishedWindow({ symbol, start, end, channels: 'trades' }));
      const between = listed.filter(({ exchange_time_utc: at }) => Date.parse(at) >= start && Date.parse(at) < end);
      expect(between.length).toBeGreaterThan(0);
      const valuesOf = (row: Omit<Trade, 'exchange_time_utc'>) => [row.pass, row.venue_id, row.price, row.size, row.aggressor_side];
      expect(between.map(valuesOf).sort()).toEqual(rowsOf(rows, 'trades').map(valuesOf).sort());
    });

    it('has a minute that replay and candle agree on', async () => {
      const start = await closedMinute(symbol);
      const { rows, parts, receipt } = await reader.window({ symbol, start, end: start + minuteMs });
      const { rows: candles } = await reader.read<{ rows: Candle[] }>('candles', { symbol, from: start, to: start + minuteMs });
      const trades = inTradeOrder(rowsOf(rows, 'trades'));
      expect(candles).toHaveLength(1);
      const [candle] = candles;
      const byPrice = [...trades].sort((one, other) => (unitsOf(one.price) < unitsOf(other.price) ? -1 : 1));
      expect(candle).toMatchObject({
        trade_total: trades.length,
        open: trades[0]?.price,
        close: trades.at(-1)?.price,
        low: byPrice[0]?.price,
        high: byPrice.at(-1)?.price,
      });
      expect(unitsOf(candle?.volume ?? '')).toBe(trades.reduce((total, { size }) => total + unitsOf(size), 0n));
      const contractValue = { 'BTCUSD-PERP': '100', 'ETHUSD-PERP': '10' }[symbol];
      expect(productsOf([[candle?.notional ?? '', '1']])).toBe(
        productsOf(
          trades.map(({ price, size, venue_size: contracts = '' }) =>
            contractValue === undefined ? [price, size] : [contracts, contractValue],
          ),
        ),
      );

      expect([receipt.rows_sent, receipt.rows_sha256]).toEqual([rows.length, chainOver(parts)]);
      expect([receipt.rows_expected, receipt.status === 'complete']).toEqual([rows.length, receipt.reasons.length === 0]);
      expect(receipt.reasons.filter((reason) => reason !== 'gaps_in_window' && reason !== 'before_retention')).toEqual([]);
      expect(rows.filter(({ flags }) => flags.includes('synthetic'))).toHaveLength(symbol === simulated ? rows.length : 0);
      for (const row of rows) expect(shared.served.check(['components', 'schemas', 'DataRow'], row)).toBeNull();
    });

    it('has one gap ledger, which replay and candles match, across pages', async () => {
      const to = (await closedMinute(symbol)) + minuteMs;
      const from = to - seamWindowMs;
      const ledger = await reader.read<{ rows: Gap[] }>('gaps', { symbol, from, to });
      const { rows, parts, gaps, receipt, pageTotal } = await reader.window({ symbol, start: from, end: to, channels: 'trades,control' });
      expect([receipt.rows_sent, receipt.rows_sha256]).toEqual([rows.length, chainOver(parts)]);
      expect(rows.map(({ sequence }) => sequence)).toEqual(
        [...new Set(rows.map(({ sequence }) => sequence))].sort((one, other) => one - other),
      );
      const ids = (list: readonly Gap[]) => list.filter(({ channel }) => channel !== 'book').map(({ gap_id: id }) => id);
      expect([...new Set(ids(gaps))].sort()).toEqual(ids(ledger.rows).sort());
      expect([...receipt.gap_ids].sort()).toEqual(ids(ledger.rows.filter(({ kind }) => kind === 'gap')).sort());
      if (symbol !== simulated) {
        expect(ledger.rows.filter((gap) => 'reason' in gap && gap['reason'] === 'recording_seam').length).toBeGreaterThan(0);
        expect(pageTotal).toBeGreaterThan(1);
      }
      const { rows: candles } = await reader.read<{ rows: Candle[] }>('candles', { symbol, from, to });
      const cut = candles.filter((candle) =>
        ledger.rows.some(
          (gap) => gap.channel !== 'book' && gap.start_utc < candle.close_time_utc && (gap.end_utc ?? '9') > candle.open_time_utc,
        ),
      );
      expect(candles.filter(({ gap }) => gap).map(({ open_time_utc: at }) => at)).toEqual(cut.map(({ open_time_utc: at }) => at));
    });

    it('has catalog totals that its candles and archive files match', async () => {
      type Catalog = {
        symbols: {
          symbol: string;
          channels: { channel: string; row_total: number; archive_hour_total: number; archive_row_total: number; archive_bytes: number }[];
        }[];
      };
      const kept = async () => (await reader.read<Catalog>('catalog', {})).symbols.find((entry) => entry.symbol === symbol)?.channels ?? [];
      const tradeTotal = (channels: Awaited<ReturnType<typeof kept>>) =>
        channels.find(({ channel }) => channel === 'trades')?.row_total ?? 0;
      const before = await kept();
      // Candles count a trade once the gateway reads it from the log, the catalog once it is recorded: the order
      // varies.
      let counted = 0;
      await waitUntil('candles with the trades of the catalog', async () => {
        const { rows: candles } = await reader.read<{ rows: Candle[] }>('candles', { symbol });
        counted = sum(candles.map(({ trade_total: total }) => total));
        return counted >= tradeTotal(before);
      });
      await waitUntil('a catalog with the trades of the candles', async () => counted <= tradeTotal(await kept()));
      await waitUntil('a catalog of what is in the archive', async () => {
        const files = archivedHours(shared.system.dataDir, symbol);
        const channels = (await kept()).filter(({ channel }) => channel !== 'packets');
        return channels.every(({ channel, archive_hour_total: hours, archive_row_total: rows, archive_bytes: bytes }) => {
          const ofChannel = files.filter((file) => file.channel === channel);
          const sums = [ofChannel.length, sum(ofChannel.map((file) => file.rows)), sum(ofChannel.map((file) => file.bytes))];
          return JSON.stringify(sums) === JSON.stringify([hours, rows, bytes]);
        });
      });
      if (symbol !== simulated) expect(archivedHours(shared.system.dataDir, symbol).length).toBeGreaterThan(0);
    });
  });

  describeStreams(symbols, simulated, () => ({
    url: shared.system.url,
    key: shared.key,
    api: shared.api,
    reader,
    check: shared.served.check,
  }));
}
