import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { withRecordings } from './with-recordings';
import { addDecimals, type BookEvent, type BookLevel, type MarketEvent, type TradeEvent } from '../src/index';
import { normalizeDecimal } from '../src/decimal';
import { countKinds, playFiles } from './open-files';

function linesOf(path: string): string[] {
  return gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
}

function booksOf(events: readonly MarketEvent[]): BookEvent[] {
  return events.filter((event) => event.kind === 'book');
}

function tradesOf(events: readonly MarketEvent[]): TradeEvent[] {
  return events.filter((event) => event.kind === 'trade');
}

/** Exact price and size sums of a side, equal for equal books. */
function sums(levels: readonly BookLevel[]): string {
  const total = (numbers: readonly string[]): string => numbers.reduce(addDecimals, '0');
  return `${levels.length} ${total(levels.map(({ price }) => price))} ${total(levels.map(({ size }) => size))}`;
}

interface RawFrame {
  readonly channel: string;
  readonly data: { time: number; levels: { px: string; sz: string }[][] } & {
    tid: number;
    side: string;
    px: string;
    sz: string;
    time: number;
  }[];
}

function rawSums({ data }: RawFrame): string {
  return data.levels.map((side) => sums(side.map(({ px, sz }) => ({ price: px, size: sz })))).join(' | ');
}

withRecordings('hyperliquid/ws', (folder) => {
  const path = join(folder, 'btcusd_20250126.gz');

  it('46 books, one of them twice, and 64 trades in 9 frames, the backlog of 30 first', async () => {
    const frames = linesOf(path).map((line) => JSON.parse(line.slice(line.indexOf(' ') + 1)) as RawFrame);
    const { recording, events, rejections } = await playFiles([path]);
    expect(recording.tally.lines).toBe(55);
    expect(countKinds(events)).toEqual({ feed_status: 1, book: 45, trade: 64, tick: 101 });
    expect(rejections).toEqual({ duplicate: 1 });
    const books = frames.filter(({ channel }) => channel === 'l2Book');
    const expected = new Map(books.map((frame) => [frame.data.time, rawSums(frame)]));
    expect(booksOf(events).map(({ exchangeTsMs, bids, asks }) => [exchangeTsMs, `${sums(bids)} | ${sums(asks)}`])).toEqual([...expected]);
    const trades = frames.filter(({ channel }) => channel === 'trades').flatMap(({ data }) => [...data]);
    expect(tradesOf(events).map(({ venueId, price, size, aggressorSide }) => [venueId, price, size, aggressorSide])).toEqual(
      trades.map(({ tid, px, sz, side }) => [String(tid), normalizeDecimal(px), normalizeDecimal(sz), side === 'B' ? 'buy' : 'sell']),
    );
  });
});

withRecordings('hyperliquid/archive', (folder) => {
  const path = join(folder, 'BTC_20240101_1200-1240.l2Book.jsonl.gz');

  it('3,739 books of 20 levels a side, each as pushed', async () => {
    const frames = linesOf(path).map((line) => (JSON.parse(line) as { raw: RawFrame }).raw);
    const { events, rejections } = await playFiles([path]);
    const books = booksOf(events);
    expect(books).toHaveLength(3_739);
    expect(rejections).toEqual({});
    expect(books.every(({ bids, asks }) => bids.length === 20 && asks.length === 20)).toBe(true);
    const sampled = books.filter((_, index) => index % 37 === 0);
    expect(sampled.map(({ bids, asks }) => `${sums(bids)} | ${sums(asks)}`)).toEqual(
      frames.filter((_, index) => index % 37 === 0).map(rawSums),
    );
    expect(events.filter(({ kind }) => kind === 'tick')).toHaveLength(9_597);
  });
});

withRecordings('hyperliquid/collector', (folder) => {
  const pathsOf = (recording: string, coin: string): string[] =>
    readdirSync(folder)
      .filter((name) => name.startsWith(`${recording}_`) && name.endsWith(`_${coin}.csv.gz`))
      .map((name) => join(folder, name));

  it.each([
    ['20251210s2', 'ETH', 1_096, 10_204, 1_749, {}, '2115.98', 1_075, 674],
    ['20251210s3', 'ETH', 439, 4_258, 1_345, {}, '3948.37', 501, 844],
    ['20250903', 'BTC', 446, 3_586, 1_497, { duplicate: 31 }, undefined, undefined, undefined],
    ['20250903', 'WLFI', 446, 1_592, 183, { duplicate: 22 }, undefined, undefined, undefined],
  ])(
    '%s %s: as many rows as its page says; what came twice is taken once',
    async (name, coin, books, prices, trades, rejected, volume, buys, sells) => {
      const { recording, events, rejections } = await playFiles(pathsOf(name, coin));
      expect(recording.tally.lines).toBe(books + prices + trades);
      expect(rejections).toEqual(rejected);
      const duplicates = Object.values(rejected).reduce((sum, count) => sum + count, 0);
      expect(booksOf(events).length + tradesOf(events).length).toBe(books + trades - duplicates);
      const ids = tradesOf(events).map(({ venueId }) => venueId);
      expect(new Set(ids).size).toBe(ids.length);
      if (volume === undefined) return;
      const total = tradesOf(events).reduce((sum, { size }) => addDecimals(sum, size), '0');
      expect(Number(total).toFixed(2)).toBe(volume);
      expect([buys, sells]).toEqual(
        ['buy', 'sell'].map((side) => tradesOf(events).filter(({ aggressorSide }) => aggressorSide === side).length),
      );
    },
  );

  it('20251210s2: every book has the levels of its row', async () => {
    const paths = pathsOf('20251210s2', 'ETH');
    const rows = linesOf(paths.find((path) => path.includes('orderbooks')) ?? '').slice(1);
    const { events } = await playFiles(paths);
    const cells = rows.map((row) => row.split(','));
    const side = (row: readonly string[], first: number): string =>
      sums(Array.from({ length: 20 }, (_, level) => ({ price: row[3 + level * 4 + first] ?? '', size: row[4 + level * 4 + first] ?? '' })));
    expect(booksOf(events).map(({ exchangeTsMs, bids, asks }) => `${exchangeTsMs} ${sums(bids)} | ${sums(asks)}`)).toEqual(
      cells.map((row) => `${row[2]} ${side(row, 0)} | ${side(row, 2)}`),
    );
  });

  it('20250903 BTC: ticks continue through the gap of 249.6 s, without other entries, and nothing says that the feed was away', async () => {
    const { events } = await playFiles(pathsOf('20250903', 'BTC'));
    const ticks = events.flatMap((event) => (event.kind === 'tick' ? [event.feedClockMs] : []));
    expect(ticks).toEqual(ticks.map((_, index) => (ticks[0] ?? 0) + index * 250));
    expect(ticks.length * 250).toBeGreaterThan(540_000);
    const times = booksOf(events).map(({ exchangeTsMs }) => exchangeTsMs);
    const longGaps = times.flatMap((time, index) => (time - (times[index - 1] ?? time) > 5_000 ? [time - (times[index - 1] ?? time)] : []));
    expect(longGaps).toEqual([249_648, 50_709]);
    expect(events.filter(({ kind }) => kind === 'feed_status')).toHaveLength(1);
  });
});
