import { type InstrumentRow, instrumentRows, LivePlayer } from '../src/index';
import { inShort, DAY_MS, diff, line, snapshot } from './messages';

interface Frame {
  readonly atMs: number;
  readonly id: number;
  readonly before: number;
  /** Sole bid; the ask is one above. */
  readonly bid: string;
}

interface Venue {
  readonly feed: InstrumentRow['feed'];
  whole(frame: Frame): string;
  change(frame: Frame): string;
}

const ask = (bid: string): string => String(Number(bid) + 1);
const jsonLevels = (price: string): readonly (readonly [string, string])[] => [[price, '1']];

function bybit(type: 'snapshot' | 'delta', { atMs, id, bid }: Frame): string {
  const data = { s: 'BTCUSDT', b: jsonLevels(bid), a: jsonLevels(ask(bid)), u: id, seq: id };
  return JSON.stringify({ topic: 'orderbook.200.BTCUSDT', type, ts: DAY_MS + atMs, data, cts: DAY_MS + atMs });
}

function okx(action: 'snapshot' | 'update', { atMs, id, before, bid }: Frame): string {
  const row = { bids: jsonLevels(bid), asks: jsonLevels(ask(bid)), ts: String(DAY_MS + atMs), prevSeqId: before, seqId: id };
  return JSON.stringify({ arg: { channel: 'books', instId: 'BTC-USDT-SWAP' }, action, data: [row] });
}

const kraken = { product_id: 'PF_XBTUSD' };

const VENUES: readonly Venue[] = [
  { feed: 'bybit', whole: (frame) => bybit('snapshot', frame), change: (frame) => bybit('delta', frame) },
  { feed: 'okx', whole: (frame) => okx('snapshot', frame), change: (frame) => okx('update', frame) },
  {
    feed: 'kraken',
    whole: ({ atMs, id, bid }) =>
      JSON.stringify({
        ...{ feed: 'book_snapshot', ...kraken, timestamp: DAY_MS + atMs, seq: id },
        ...{ bids: [{ price: Number(bid), qty: 1 }], asks: [{ price: Number(ask(bid)), qty: 1 }] },
      }),
    change: ({ atMs, id, bid }) =>
      JSON.stringify({ feed: 'book', ...kraken, timestamp: DAY_MS + atMs, seq: id, side: 'buy', price: Number(bid), qty: 1 }),
  },
  {
    feed: 'binance',
    whole: ({ atMs, id, bid }) => snapshot(DAY_MS + atMs, id, jsonLevels(bid), jsonLevels(ask(bid))),
    change: ({ atMs, id, before, bid }) => diff(DAY_MS + atMs, [id, id, before], jsonLevels(bid), []),
  },
];

function play(feed: Venue['feed'], messages: readonly (readonly [atMs: number, text: string])[]) {
  const row = instrumentRows.find((each) => each.feed === feed && each.symbol === 'BTCUSD-PERP');
  if (row === undefined) throw new Error(`the table has no BTC of ${feed}`);
  const player = new LivePlayer(row, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: DAY_MS });
  player.connected(DAY_MS);
  for (const [atMs, text] of messages) player.accept(DAY_MS + atMs, line(atMs, text));
  const events = player.take().map(({ event }) => event);
  return { player, log: inShort(events).filter((entry) => !entry.startsWith('tick')) };
}

describe.each(VENUES)('$feed', ({ feed, whole, change }) => {
  const start: [number, string][] = [
    [0, whole({ atMs: 0, id: 1_000, before: -1, bid: '100' })],
    [300, change({ atMs: 300, id: 1_001, before: 1_000, bid: '100.2' })],
  ];
  if (feed === 'binance') start.splice(1, 0, [100, change({ atMs: 100, id: 1_000, before: 999, bid: '100.1' })]);
  // The frame with number 1, which began the numbers again, is lost.
  const restarted: [number, string][] = [
    [600, change({ atMs: 600, id: 2, before: 1, bid: '100.3' })],
    [900, change({ atMs: 900, id: 3, before: 2, bid: '100.4' })],
  ];

  test('a lower number with a later time opens a gap that a whole book ends', () => {
    const waiting = play(feed, [...start, ...restarted]);
    expect([waiting.player.needsSnapshot, waiting.log.at(-1)]).toEqual([true, 'gap']);
    const { player, log } = play(feed, [
      ...start,
      ...restarted,
      [1_200, whole({ atMs: 900, id: 3, before: -1, bid: '100.4' })],
      [1_300, change({ atMs: 1_300, id: 4, before: 3, bid: '100.5' })],
      [1_600, change({ atMs: 1_600, id: 5, before: 4, bid: '100.6' })],
    ]);
    expect([player.needsSnapshot, log.slice(log.indexOf('gap'))]).toEqual([
      false,
      expect.arrayContaining(['gap', 'resynced', expect.stringMatching(/^book 1300 #4 /)]),
    ]);
  });

  test('a repeated frame is none', () => {
    const { player, log } = play(feed, [...start, ...start.slice(-1), ...start.slice(1)]);
    expect([player.needsSnapshot, log.includes('gap')]).toEqual([false, false]);
  });
});

test('binance: a book that waits while the numbers restart is restored by a snapshot with the new numbers', () => {
  const venue = VENUES.find(({ feed }) => feed === 'binance');
  const change = (atMs: number, id: number): [number, string] => [atMs, venue?.change({ atMs, id, before: id - 1, bid: '100.1' }) ?? ''];
  const { player } = play('binance', [
    change(0, 1_000),
    change(100, 1_001),
    change(200, 1),
    change(300, 2),
    [400, venue?.whole({ atMs: 300, id: 2, before: -1, bid: '100' }) ?? ''],
  ]);
  expect([player.needsSnapshot, player.rejections.stale_snapshot]).toEqual([false, 0]);
});
