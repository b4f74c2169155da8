import { decideStart, type StartFacts, type LogEnd } from './decide-start';
import type { FeedState } from './feed-state';

const nowMs = Date.UTC(2026, 2, 2, 12, 20);
const lastHourMs = Date.UTC(2026, 2, 2, 11);
const span = {
  firstReceivedMs: 1_723_161_256_172,
  lastReceivedMs: 1_723_161_903_531,
  firstExchangeMs: 1_723_161_257_432,
  lastExchangeMs: 1_723_161_904_795,
};
const lastFeedClockMs = nowMs - 60_000;
const stored: FeedState = {
  symbol: 'BTCUSD-PERP',
  epoch: 2,
  pass: 7,
  shiftMs: 72_113_540_000,
  passFirstOrdinal: 5_000,
  opening: 'seam',
  openingStartMs: 1,
  recording: 'abc',
  progress: {
    lastOrdinal: 6_000,
    lastFeedClockMs,
    safeExchangeTsMs: lastFeedClockMs - 500,
    reservedOrdinal: 8_000,
    reservedFeedClockMs: lastFeedClockMs + 5_000,
  },
};
const logEnd: LogEnd = {
  id: { epoch: 2, ordinal: 6_010 },
  payload: new Uint8Array(),
  pass: 7,
  feedClockMs: lastFeedClockMs + 200,
  exchangeTsMs: lastFeedClockMs + 1_400,
};
const facts: StartFacts = { symbol: stored.symbol, nowMs, speed: 1, recording: { digest: 'abc', span }, stored, logEnd, isLogLost: false };

const lostFacts: readonly (readonly [string, Partial<StartFacts>])[] = [
  ['the log is empty', { logEnd: undefined }],
  ['the log ends before the last entry that was saved', { logEnd: { ...logEnd, id: { epoch: 2, ordinal: 5_999 } } }],
  ['the log ends in an earlier epoch', { logEnd: { ...logEnd, id: { epoch: 1, ordinal: 6_010 } } }],
  ['the log goes beyond what was ever reserved', { logEnd: { ...logEnd, id: { epoch: 2, ordinal: 8_001 } } }],
  ['the log is in a later epoch', { logEnd: { ...logEnd, id: { epoch: 3, ordinal: 6_010 } } }],
  ['entries were seen to be gone', { isLogLost: true }],
  ['nothing is stored, but there is a log', { stored: undefined }],
];

describe('where a feed starts', () => {
  test('with nothing anywhere: pass 1, at or less than 10 s before the last full hour, ordinal 1, epoch 1', () => {
    const start = decideStart({ ...facts, stored: undefined, logEnd: undefined });
    expect(start).toMatchObject({
      kind: 'begin',
      pace: { kind: 'wall' },
      state: { epoch: 1, pass: 1, passFirstOrdinal: 1, opening: 'first' },
    });
    const firstMs = span.firstReceivedMs + start.state.shiftMs;
    expect(lastHourMs - firstMs).toBeGreaterThanOrEqual(0);
    expect(lastHourMs - firstMs).toBeLessThan(10_000);
    expect(start.state.shiftMs % 10_000).toBe(0);
  });

  test.each([5, 65])('with %i minutes of history: at or less than 10 s before them, and never before the last full hour', (minutes) => {
    const start = decideStart({ ...facts, stored: undefined, logEnd: undefined, historyMs: minutes * 60_000 });
    const firstMs = span.firstReceivedMs + start.state.shiftMs;
    const wantedMs = Math.max(lastHourMs, nowMs - minutes * 60_000);
    expect(start).toMatchObject({ kind: 'begin', pace: { kind: 'wall' } });
    expect(wantedMs - firstMs).toBeGreaterThanOrEqual(0);
    expect(wantedMs - firstMs).toBeLessThan(10_000);
  });

  test('with a given start: nearest to it, and paced from there', () => {
    const startMs = Date.UTC(2020, 0, 1);
    const start = decideStart({ ...facts, stored: undefined, logEnd: undefined, startMs });
    const firstMs = span.firstReceivedMs + start.state.shiftMs;
    expect(Math.abs(firstMs - startMs)).toBeLessThanOrEqual(5_000);
    expect(start).toMatchObject({
      pace: { kind: 'anchored', wallMs: nowMs, feedMs: firstMs },
      state: { anchor: { wallMs: nowMs, feedMs: firstMs, speed: 1 } },
    });
  });

  test('with a log that ends where the feed may have left it: within the stored pass', () => {
    expect(decideStart(facts)).toEqual({ kind: 'resume', state: stored, pace: { kind: 'wall' } });
    expect(decideStart({ ...facts, logEnd: { ...logEnd, id: { epoch: 2, ordinal: 8_000 } } }).kind).toBe('resume');
  });

  test('killed between the storing of a first pass and its first entry: the same pass', () => {
    const first: FeedState = {
      ...stored,
      epoch: 1,
      pass: 1,
      opening: 'first',
      passFirstOrdinal: 1,
      progress: { ...stored.progress, lastOrdinal: 0 },
    };
    expect(decideStart({ ...facts, stored: first, logEnd: undefined })).toMatchObject({ kind: 'resume', state: first });
    const afterLoss: FeedState = { ...stored, opening: 'log_lost', passFirstOrdinal: 6_001 };
    expect(decideStart({ ...facts, stored: afterLoss, logEnd: { ...logEnd, id: { epoch: 1, ordinal: 40 } } })).toMatchObject({
      kind: 'resume',
    });
  });

  test.each(lostFacts)('%s: a new epoch behind a log_lost gap, past every ordinal, pass and time that was ever used', (_case, change) => {
    const changed = { ...facts, ...change };
    const start = decideStart(changed);
    expect(start).toMatchObject({ kind: 'begin', state: { opening: 'log_lost' } });
    const { state } = start;
    for (const before of [changed.stored, changed.logEnd?.id]) expect(state.epoch).toBeGreaterThan(before?.epoch ?? 0);
    expect(state.pass).toBeGreaterThan(Math.max(changed.stored?.pass ?? 0, changed.logEnd?.pass ?? 0));
    expect(state.passFirstOrdinal).toBeGreaterThan(
      Math.max(changed.stored?.progress.reservedOrdinal ?? 0, changed.logEnd?.id.ordinal ?? 0),
    );
    const firstMs = span.firstReceivedMs + state.shiftMs;
    expect(firstMs).toBeGreaterThan(Math.max(changed.stored?.progress.reservedFeedClockMs ?? 0, changed.logEnd?.feedClockMs ?? 0));
    expect(state.openingStartMs).toBe(changed.stored?.progress.safeExchangeTsMs ?? logEnd.exchangeTsMs);
  });

  test('away until the log ends before the last full hour: a new pass from that hour behind a feed_down gap', () => {
    const start = decideStart({ ...facts, nowMs: nowMs + 3 * 3_600_000 });
    expect(start).toMatchObject({
      kind: 'begin',
      state: { epoch: 2, pass: 8, passFirstOrdinal: 6_011, opening: 'feed_down', openingStartMs: logEnd.exchangeTsMs },
    });
    const firstMs = span.firstReceivedMs + start.state.shiftMs;
    expect(lastHourMs + 3 * 3_600_000 - firstMs).toBeGreaterThanOrEqual(0);
    expect(lastHourMs + 3 * 3_600_000 - firstMs).toBeLessThan(10_000);
  });

  test('a given start never counts as too long an absence: its time stands still while no feed plays', () => {
    expect(decideStart({ ...facts, startMs: 1, nowMs: nowMs + 3 * 3_600_000 }).kind).toBe('resume');
  });

  test('another recording: a new pass after what the log holds', () => {
    const start = decideStart({ ...facts, recording: { digest: 'def', span } });
    expect(start).toMatchObject({
      kind: 'begin',
      state: { epoch: 2, pass: 8, passFirstOrdinal: 6_011, opening: 'feed_down', recording: 'def' },
    });
    expect(span.firstReceivedMs + start.state.shiftMs).toBeGreaterThan(logEnd.feedClockMs);
  });

  test('with its own times: unshifted, behind a log that ends before, and never behind a later one', () => {
    const own = { ...facts, startMs: 'recorded' } as const;
    expect(decideStart({ ...own, stored: undefined, logEnd: undefined })).toMatchObject({
      kind: 'begin',
      state: { shiftMs: 0, opening: 'first' },
    });
    const early = { ...logEnd, feedClockMs: span.firstReceivedMs - 1 };
    const other = { digest: 'def', span };
    expect(decideStart({ ...own, recording: other, logEnd: early })).toMatchObject({
      kind: 'begin',
      state: { shiftMs: 0, pass: 8, opening: 'feed_down' },
    });
    expect(() => decideStart({ ...own, recording: other })).toThrow(
      'The log of BTCUSD-PERP reaches 2026-03-02T12:19:00.200Z; files that start at 2024-08-08T23:54:16.172Z cannot follow it at their own times.',
    );
  });
});
