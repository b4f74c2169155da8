import fc from 'fast-check';
import { type ChannelDay, dayCondition, type DayGap, observedMs, lossOf, msInGaps } from './day-condition';

const span = fc.record({ startMs: fc.integer({ min: 1, max: 60 }), endMs: fc.integer({ min: 0, max: 60 }) });

test('time in gaps is what a count millisecond by millisecond finds, however they overlap', () => {
  fc.assert(
    fc.property(
      fc.array(span, { maxLength: 8 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 30 }),
      (gaps, fromMs, lengthMs) => {
        const moments = Array.from({ length: lengthMs }, (_none, index) => fromMs + index);
        const lost = moments.filter((ms) => gaps.some(({ startMs, endMs }) => startMs <= ms && (endMs === 0 || ms < endMs)));
        expect(msInGaps(gaps, fromMs, fromMs + lengthMs)).toBe(lost.length);
      },
    ),
    { seed: 22_001, numRuns: 500 },
  );
});

test.each([
  ['a gap', 'sequence_gap', 'resumed', 9, 'lost'],
  ['a gap that a fresh snapshot ended', 'sequence_gap', 'resynced', 9, 'lost'],
  ['an open gap', 'feed_down', 'open', 0, 'lost'],
  ['a gap whose rows all came late', 'sequence_gap', 'withdrawn', 9, 'none'],
  ['a seam', 'recording_seam', 'resumed', 9, 'none'],
  ['a seam that was withdrawn', 'recording_seam', 'withdrawn', 9, 'none'],
  ['a seam that a fresh snapshot ended', 'recording_seam', 'resynced', 9, 'unknown'],
  ['a seam without an end', 'recording_seam', 'resumed', 0, 'unknown'],
])('%s', (_name, reason, resolution, endMs, loss) => {
  expect(lossOf({ reason, resolution, endMs })).toBe(loss);
});

const FROM = 1_000;
const TO = 2_000;

const whole: ChannelDay = {
  fromMs: FROM,
  toMs: TO,
  keptFromMs: 0,
  rows: 5,
  isReadable: true,
  gaps: [],
  isFinished: true,
  isReported: true,
};

function gap(startMs: number, endMs: number, reason = 'sequence_gap', resolution = endMs === 0 ? 'open' : 'resumed'): DayGap {
  return { startMs, endMs, reason, resolution };
}

const cases: readonly [name: string, facts: Partial<ChannelDay>, expected: string][] = [
  ['a whole day', {}, 'available'],
  ['a finished day on which none came', { rows: 0 }, 'available no_rows'],
  ['a day kept from its first moment on', { keptFromMs: FROM }, 'available'],
  ['a day that goes on', { isFinished: false }, 'pending day_not_finished'],
  ['a day that goes on, none yet', { isFinished: false, rows: 0 }, 'pending day_not_finished no_rows'],
  ['a day that goes on, with a gap', { isFinished: false, gaps: [gap(1_200, 0)] }, 'pending day_not_finished sequence_gap'],
  ['a gap inside', { gaps: [gap(1_200, 1_300)] }, 'degraded sequence_gap'],
  ['an open gap', { gaps: [gap(1_900, 0, 'disconnected')] }, 'degraded disconnected'],
  ['an open gap from before', { gaps: [gap(10, 0, 'feed_down')] }, 'degraded feed_down'],
  ['a gap without length', { gaps: [gap(1_500, 1_500)] }, 'degraded sequence_gap'],
  ['a gap without length at its first moment', { gaps: [gap(FROM, FROM)] }, 'degraded sequence_gap'],
  ['a seam', { gaps: [gap(1_200, 1_300, 'recording_seam')] }, 'available'],
  ['a seam that a fresh snapshot ended', { gaps: [gap(1_200, 1_300, 'recording_seam', 'resynced')] }, 'degraded recording_seam'],
  ['a gap whose rows all came late', { gaps: [gap(1_200, 1_300, 'sequence_gap', 'withdrawn')] }, 'available'],
  ['nothing but a seam, and no rows', { rows: 0, gaps: [gap(FROM, TO, 'recording_seam')] }, 'available no_rows'],
  ['a gap that ends where it begins', { gaps: [gap(500, FROM)] }, 'available'],
  ['a gap that begins where it ends', { gaps: [gap(TO, 0)] }, 'available'],
  [
    'several gaps, each reason once, oldest first',
    { gaps: [gap(1_900, 1_950, 'overflow'), gap(1_100, 1_200, 'log_lost'), gap(1_300, 1_400, 'log_lost')] },
    'degraded log_lost overflow',
  ],
  ['a gap and no rows', { rows: 0, gaps: [gap(1_200, 1_300)] }, 'degraded sequence_gap no_rows'],
  ['a day that begins before what is kept', { keptFromMs: 1_500 }, 'degraded before_retention'],
  ['all in a gap', { rows: 0, gaps: [gap(FROM, TO, 'feed_down')] }, 'missing feed_down no_rows'],
  ['all in an open gap', { rows: 0, gaps: [gap(500, 0, 'feed_down')] }, 'missing feed_down no_rows'],
  [
    'all in gaps that meet, in any order',
    { rows: 0, gaps: [gap(1_500, 0, 'disconnected'), gap(900, 1_500, 'feed_down')] },
    'missing feed_down disconnected no_rows',
  ],
  [
    'gaps with a moment between them',
    { rows: 0, gaps: [gap(900, 1_500, 'feed_down'), gap(1_501, 0, 'disconnected')] },
    'degraded feed_down disconnected no_rows',
  ],
  [
    'lost up to what is kept, and a gap after it',
    { rows: 0, keptFromMs: 1_500, gaps: [gap(1_400, 2_500)] },
    'missing before_retention sequence_gap no_rows',
  ],
  ['all in a gap, and rows though', { gaps: [gap(500, 0)] }, 'degraded sequence_gap'],
  ['all before what is kept', { rows: 0, keptFromMs: TO }, 'missing before_retention no_rows'],
  [
    'all before what is kept, and not finished',
    { rows: 0, keptFromMs: TO, isFinished: false },
    'missing before_retention day_not_finished no_rows',
  ],
  ['late rows before what is kept', { rows: 1, keptFromMs: TO }, 'degraded before_retention'],
  ['a channel that is not reported', { rows: 0, isReported: false }, 'missing channel_not_reported no_rows'],
  ['a channel that is reported no more', { isReported: false }, 'available channel_not_reported'],
  ['a file that cannot be read', { isReadable: false }, 'degraded archive_unreadable'],
  ['no row of it can be read', { isReadable: false, rows: 0 }, 'degraded archive_unreadable'],
];

test.each(cases)('%s', (_name, facts, expected) => {
  const { condition, reasons } = dayCondition({ ...whole, ...facts });
  expect([condition, ...reasons].join(' ')).toBe(expected);
});

test.each<[name: string, facts: Partial<ChannelDay>, expectedMs: number]>([
  ['a whole day', {}, 1_000],
  ['a day that begins before what is kept', { keptFromMs: 1_500 }, 500],
  ['all before what is kept', { keptFromMs: TO }, 0],
  ['gaps that overlap, one from before what is kept', { keptFromMs: 1_100, gaps: [gap(1_000, 1_200), gap(1_150, 1_300)] }, 700],
  ['an open gap', { gaps: [gap(1_900, 0)] }, 900],
  [
    'a seam, and a gap whose rows all came late',
    { gaps: [gap(1_200, 1_300, 'recording_seam'), gap(1_500, 1_600, 'overflow', 'withdrawn')] },
    1_000,
  ],
  ['a channel that is not reported', { isReported: false }, 0],
])('observed time of %s', (_name, facts, expectedMs) => {
  expect(observedMs({ ...whole, ...facts })).toBe(expectedMs);
});
