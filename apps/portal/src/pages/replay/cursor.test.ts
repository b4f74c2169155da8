import type { Schemas } from '@market-state/client';
import type { CompactPacket } from '../../packets/live-markets';
import { type ChunkReading, chunksOf } from './chunks';
import { countUpTo, flowAt, gapAt, packetsUpTo, stepFrom, windowsClosedAt, advance, replayAction, replaySpan, withInstant } from './cursor';

/** Focused element, as the selectors that it matches. */
const focus =
  (...kinds: readonly string[]) =>
  (selector: string): boolean =>
    selector.split(', ').some((each) => kinds.includes(each));

test('space plays and pauses, arrows move by a second, brackets by a packet, and other keys do nothing', () => {
  expect([' ', 'ArrowLeft', 'ArrowRight', '[', ']', 'x'].map((key) => replayAction(key, focus()))).toEqual([
    'toggle',
    { seconds: -1 },
    { seconds: 1 },
    { packet: -1 },
    { packet: 1 },
    null,
  ]);
});

test('keys used by the focused element are left alone', () => {
  expect([replayAction(' ', focus('button')), replayAction(' ', focus('summary'))]).toEqual([null, null]);
  expect(replayAction('ArrowLeft', focus('button'))).toEqual({ seconds: -1 });
  expect([replayAction('ArrowLeft', focus('select')), replayAction('[', focus('textarea'))]).toEqual([null, null]);
});

test('a cursor advances by elapsed time and speed, and waits at unloaded data', () => {
  expect(advance(1_000, 100, 1, 9_000)).toBe(1_100);
  expect(advance(1_000, 100, 50, 9_000)).toBe(6_000);
  expect(advance(1_000, 100, 100, 9_000)).toBe(9_000);
  expect(advance(9_000, 100, 100, 9_000)).toBe(9_000);
});

test('a hidden page does not jump ahead, and the cursor never moves backwards', () => {
  expect(advance(0, 60_000, 1, 900_000)).toBe(1_500);
  expect([advance(5_000, -40, 1, 9_000), advance(5_000, 100, 1, 4_000)]).toEqual([5_000, 5_000]);
});

const span = { fromMs: 0, toMs: 900_000 };
const chunks = chunksOf(span);
const book = (timeMs: number, price: string) => ({ timeMs, bids: [[price, '1']] as const, asks: [] });
const trade = (timeMs: number) => ({ id: `t${timeMs}`, timeMs, side: 'buy' as const, price: '1', size: '1' });
const read = (
  index: number,
  books: readonly ReturnType<typeof book>[],
  trades: readonly ReturnType<typeof trade>[],
): [number, ChunkReading] => [
  index,
  {
    state: 'ended',
    messages: 0,
    credits: 0,
    rows: { books, trades, digests: [] },
    reachedMs: chunks[index]?.endMs ?? 0,
    receipt: null,
    resumeId: null,
    failure: null,
  },
];
const seconds = (from: number, to: number) => Array.from({ length: to - from }, (_each, at) => trade((from + at) * 1_000));

test('the count of rows up to an instant matches a linear scan', () => {
  const times = [1, 3, 3, 7];
  for (let ms = 0; ms <= 8; ms += 1)
    expect(countUpTo((index) => times[index] ?? 0, times.length, ms)).toBe(times.filter((time) => time <= ms).length);
});

test('the newest book at an instant is used, and nothing later', () => {
  const readings = new Map([read(0, [book(1_000, '10'), book(2_000, '20')], [trade(1_500), trade(2_500)])]);
  expect(flowAt(chunks, readings, 1_999)).toMatchObject({ bids: [['10', '1']], bookMs: 1_000, trades: [{ timeMs: 1_500 }] });
  expect(flowAt(chunks, readings, 2_000)).toMatchObject({ bids: [['20', '1']], bookMs: 2_000 });
  expect(flowAt(chunks, readings, 500)).toEqual({ bids: [], asks: [], bookMs: null, trades: [] });
});

test('a chunk starts from the state of the previous one, and unloaded rows yield null', () => {
  const readings = new Map([read(0, [book(299_000, '10')], seconds(200, 300)), read(1, [book(301_000, '20')], seconds(300, 310))]);
  expect(flowAt(chunks, readings, 300_500)?.bookMs).toBe(299_000);
  expect(flowAt(chunks, readings, 600_000)?.bookMs).toBe(301_000);
  expect(flowAt(chunks, readings, 600_001)).toBeNull();
  expect(flowAt(chunks, new Map([read(1, [], [])]), 299_999)).toBeNull();
  expect([flowAt(chunks, new Map(), 0), flowAt(chunks, new Map([read(1, [], [])]), 600_001)]).toEqual([null, null]);
  expect(flowAt(chunks, new Map([read(0, [book(1_000, '10')], [])]), 300_000)?.bookMs).toBe(1_000);
});

test('the tape has every trade of the last minute, newest first, across chunks', () => {
  const readings = new Map([read(0, [], seconds(200, 300)), read(1, [], seconds(300, 310))]);
  const times = flowAt(chunks, readings, 304_000)?.trades.map(({ timeMs }) => timeMs) ?? [];
  expect(times.slice(0, 6)).toEqual([304_000, 303_000, 302_000, 301_000, 300_000, 299_000]);
  expect(times.filter((timeMs) => timeMs > 244_000)).toHaveLength(60);
  expect(new Set(times).size).toBe(times.length);
});

const packet = (s: number) => ({ window_end_utc: new Date(s * 1_000).toISOString() }) as CompactPacket;
const packets = [packet(10), packet(20), packet(270)];

test('a packet is shown from the end of its window on, and a step jumps over a gap', () => {
  expect(packetsUpTo(packets, 19_999)).toEqual([packet(10)]);
  expect(packetsUpTo(packets, 20_000)).toEqual([packet(10), packet(20)]);
  expect(stepFrom(packets, 20_000, 1, span)).toBe(270_000);
  expect(stepFrom(packets, 270_000, -1, span)).toBe(20_000);
  expect(stepFrom(packets, 15_000, -1, span)).toBe(10_000);
  expect([stepFrom(packets, 10_000, -1, span), stepFrom(packets, 270_000, 1, span)]).toEqual([0, 900_000]);
  expect(windowsClosedAt(29_999)).toBe(20_000);
});

test('a pane is empty inside a gap of its channel, but not at seams or withdrawn gaps', () => {
  const gap = (fields: object) =>
    ({
      kind: 'gap',
      channel: null,
      resolution: 'resumed',
      start_utc: '1970-01-01T00:01:00.000Z',
      end_utc: '1970-01-01T00:02:00.000Z',
      ...fields,
    }) as Schemas['Gap'];
  expect(gapAt([gap({})], 'book', 90_000)).toBeDefined();
  expect([60_000, 120_000].map((ms) => gapAt([gap({})], 'book', ms))).toEqual([undefined, undefined]);
  expect(gapAt([gap({ end_utc: null })], 'trades', 600_000)).toBeDefined();
  expect(gapAt([gap({ channel: 'trades' })], 'book', 90_000)).toBeUndefined();
  expect(gapAt([gap({ kind: 'seam' }), gap({ resolution: 'withdrawn' })], 'book', 90_000)).toBeUndefined();
});

const OPENED = Date.parse('2026-11-25T12:00:00Z');
const spanOf = (address: string): readonly [string, string, string] => {
  const { symbol, fromMs, toMs } = replaySpan(new URLSearchParams(address), OPENED);
  return [symbol, new Date(fromMs).toISOString().slice(11, 19), new Date(toMs).toISOString().slice(11, 19)];
};

test.each([
  ['', 'BTCUSD-PERP', '11:44:00', '11:59:00'],
  ['symbol=ETHUSD-PERP&from=2026-11-25T10:00:00Z&to=2026-11-25T10:10:00Z', 'ETHUSD-PERP', '10:00:00', '10:10:00'],
  ['from=2026-11-25T02:00:00Z&to=2026-11-25T09:00:00Z', 'BTCUSD-PERP', '02:00:00', '03:00:00'],
  ['at=2026-11-25T10:00:00Z', 'BTCUSD-PERP', '09:55:00', '10:05:00'],
  ['at=2026-11-25T11:58:03Z', 'BTCUSD-PERP', '11:53:00', '11:59:00'],
  ['at=2026-11-25T10:03:00Z&from=2026-11-25T10:00:00Z&to=2026-11-25T10:10:00Z', 'BTCUSD-PERP', '10:00:00', '10:10:00'],
])('the span of "%s" is limited to what a page can hold', (address, ...expected) => {
  expect(spanOf(address)).toEqual(expected);
});

test('moving the cursor writes its span to the address; the start is not written', () => {
  const requested = new URLSearchParams('symbol=ETHUSD-PERP&at=2026-11-25T10:00:00Z&speed=5');
  const span = replaySpan(requested, OPENED);
  const moved = withInstant(requested, span, Date.parse('2026-11-25T10:04:00Z'));
  expect(moved.get('at')).toBe('2026-11-25T10:04:00Z');
  expect(replaySpan(moved, OPENED)).toEqual(span);
  expect(withInstant(moved, span, span.fromMs).has('at')).toBe(false);
  const untouched = new URLSearchParams('speed=5');
  expect(withInstant(untouched, span, span.fromMs)).toBe(untouched);
});
