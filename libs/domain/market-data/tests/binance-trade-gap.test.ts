import fc from 'fast-check';
import { type FeedStatus, recordingPass, type MarketEvent } from '../src/index';
import { DAY_MS, eventsOf, handMadePass, line, trade } from './messages';
import { readRaw } from './oracle';
import { passInput, rawRecording, readLines, recordedPass } from './recording';

type Gap = Extract<FeedStatus, { type: 'gap' }>;

function gapsOf(events: readonly MarketEvent[]): Gap[] {
  return events.flatMap((event) => (event.kind === 'feed_status' && event.status.type === 'gap' ? [event.status] : []));
}

/** Gap spans of a handmade pass, in its milliseconds. */
function spansOf(...messages: readonly (readonly [atMs: number, text: string])[]): [start: number, end: number][] {
  const events = eventsOf(
    handMadePass(
      messages.map(([atMs, text]) => line(atMs, text)),
      1_000,
    ),
  );
  const gaps = gapsOf(events);
  const withdrawn = gaps.filter(({ reason }) => reason === 'arrived_late');
  const reported = gaps.filter(({ reason }) => reason === 'sequence_gap');
  // A withdrawal repeats the gap's id, once.
  for (const gap of withdrawn) expect(reported).toContainEqual({ ...gap, reason: 'sequence_gap' });
  expect([gaps.length, new Set(withdrawn.map(({ gapId }) => gapId)).size]).toEqual([withdrawn.length + reported.length, withdrawn.length]);
  return reported
    .filter(({ gapId }) => !withdrawn.some((each) => each.gapId === gapId))
    .map(({ channel, startMs, endMs }) => {
      expect(channel).toBe('trade');
      return [startMs - DAY_MS, endMs - DAY_MS];
    });
}

const made = (atMs: number, id: number, changes: Record<string, unknown> = {}): readonly [number, string] => [
  atMs,
  trade(DAY_MS + atMs, id, changes),
];

it.each(['BTCUSD-PERP', 'ETHUSD-PERP'])(
  '%s: the ids of the recorded trades are consecutive over both files, and no gap is reported',
  (symbol) => {
    const ids = rawRecording(symbol).trades.map(({ t }) => t);
    expect(ids).toEqual(ids.map((_, index) => (ids[0] ?? 0) + index));
    expect(gapsOf(recordedPass(symbol).map(({ event }) => event))).toEqual([]);
  },
);

it('any recorded trades left out between the first and the last are in a gap of the trades, from the one before to the one after, and no others are', () => {
  const lines = readLines('BTCUSD-PERP')
    .filter((text) => text.includes('@trade"') || text.includes('lastUpdateId'))
    .slice(0, 400);
  const all = readRaw(lines).trades;
  const input = passInput('BTCUSD-PERP', lines);
  const inner = all.slice(1, -1).map(({ t }) => t);
  fc.assert(
    fc.property(fc.subarray(inner), fc.integer({ min: 0, max: 3 }), (missing, pass) => {
      const left = new Set(missing);
      const kept = lines.filter((text) => !left.has(Number(/"t":(\d+)/.exec(text)?.[1])));
      const shiftMs = pass * 600_000;
      const events = [...recordingPass({ ...input, lines: kept, shiftMs, endFeedClockMs: input.endFeedClockMs + shiftMs }).events].map(
        ({ event }) => event,
      );
      const expected = all.flatMap(({ t, T }, index) => {
        const next = left.has(t) ? undefined : all.slice(index + 1).find((later) => !left.has(later.t));
        return next === undefined || next.t === t + 1 ? [] : [{ startMs: T + shiftMs, endMs: Math.max(T, next.T) + shiftMs }];
      });
      expect(gapsOf(events)).toEqual(
        expected.map((span) => expect.objectContaining({ ...span, channel: 'trade', reason: 'sequence_gap' }) as Gap),
      );
      expect(new Set(gapsOf(events).map(({ gapId }) => gapId)).size).toBe(expected.length);
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 30) },
  );
});

it('a gap stands before the trade that shows it, at its time', () => {
  const events = eventsOf(
    handMadePass(
      [made(10, 1), made(30, 4)].map(([atMs, text]) => line(atMs, text)),
      200,
    ),
  );
  expect(events.map(({ kind, exchangeTsMs }) => [kind, exchangeTsMs - DAY_MS])).toEqual([
    ['feed_status', 10],
    ['trade', 10],
    ['feed_status', 30],
    ['trade', 30],
  ]);
});

it.each([
  ['a repeated id is ignored', [made(10, 1), made(20, 2), made(30, 1), made(40, 2), made(50, 3)], []],
  [
    'a trade that comes late withdraws its gap, and does not move the next one',
    [made(10, 1), made(20, 3), made(30, 2), made(40, 4), made(50, 6)],
    [[40, 50]],
  ],
  ['a gap of several trades stays until the last of them has come', [made(10, 1), made(20, 5), made(30, 4), made(40, 2)], [[10, 20]]],
  ['the last one that was missing withdraws it', [made(10, 1), made(20, 5), made(30, 4), made(40, 2), made(50, 3)], []],
  ['one that comes late twice counts once', [made(10, 1), made(20, 4), made(30, 3), made(40, 3)], [[10, 20]]],
  ['a fill that no order met and comes late withdraws its gap', [made(10, 1), made(20, 3), made(30, 2, { X: 'ADL' })], []],
  ['a trade before a late one is known reports no gap', [made(10, 1), made(20, 3, { X: 'ADL' }), made(30, 2), made(40, 4)], []],
  ['a trade that comes late and is rejected withdraws nothing', [made(10, 1), made(20, 3), made(30, 2, { p: 'NaN' })], [[10, 20]]],
  ['a trade that is rejected is missing', [made(10, 1), made(20, 2, { p: 'NaN' }), made(30, 3)], [[10, 30]]],
  ['a trade whose time is rejected is missing', [made(10, 1), [20, trade(DAY_MS + 20_000, 2)] as const, made(30, 3)], [[10, 30]]],
  [
    'a fill that no order met has a number like a trade',
    [made(10, 1), made(20, 2, { X: 'INSURANCE_FUND' }), made(30, 3, { X: 'ADL' }), made(40, 4)],
    [],
  ],
  [
    'what is missing around such a fill is one gap, between trades',
    [made(10, 1), made(20, 3, { X: 'ADL' }), made(40, 5), made(50, 6)],
    [[10, 40]],
  ],
])('%s', (_what, messages, spans) => {
  expect(spansOf(...messages)).toEqual(spans);
});

it('a gap is withdrawn before the trade that fills it, at the end of the gap', () => {
  const events = eventsOf(
    handMadePass(
      [made(10, 1), made(30, 3), made(40, 2)].map(([atMs, text]) => line(atMs, text)),
      200,
    ),
  );
  expect(events.map((event) => (event.kind === 'feed_status' ? [event.status, event.exchangeTsMs - DAY_MS] : [event.venueId]))).toEqual([
    [expect.objectContaining({ type: 'connected' }), 10],
    ['1'],
    [expect.objectContaining({ type: 'gap', reason: 'sequence_gap', startMs: DAY_MS + 10, endMs: DAY_MS + 30 }), 30],
    ['3'],
    [expect.objectContaining({ type: 'gap', reason: 'arrived_late', startMs: DAY_MS + 10, endMs: DAY_MS + 30 }), 30],
    ['2'],
  ]);
});
