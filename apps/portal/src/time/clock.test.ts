import { bareClock, clock, clockBelow, clockSpan, clockSpanBelow, tickLabels, ticksOf, zoned } from './clock';
import { inZone } from '../../tests/in-zone';

const AT = Date.parse('2026-11-25T18:30:07.250Z');
/** New York's clocks go back from 02:00 to 01:00. */
const BACK = Date.parse('2026-11-01T06:00:00Z');
const HOUR_MS = 3_600_000;

beforeEach(() => jest.useFakeTimers({ now: AT }));
afterEach(() => jest.useRealTimers());

test('times are labeled UTC', () => {
  expect(clock(AT)).toBe('2026-11-25 18:30:07 UTC');
  expect(clock(AT, 'time')).toBe('18:30:07 UTC');
  expect(clock(AT, 'minute')).toBe('2026-11-25 18:30 UTC');
  expect(bareClock(AT, 'timeMilli')).toBe('18:30:07.250');
  expect(zoned('Served')).toBe('Served, UTC');
});

test.each([
  ['America/New_York', '2026-11-25 13:30:07 UTC-05:00', 'Served, UTC-05:00'],
  ['Asia/Kolkata', '2026-11-26 00:00:07 UTC+05:30', 'Served, UTC+05:30'],
  ['America/St_Johns', '2026-11-25 15:00:07 UTC-03:30', 'Served, UTC-03:30'],
  ['UTC', '2026-11-25 18:30:07 UTC+00:00', 'Served, UTC+00:00'],
])('local times show their offset from UTC: %s', (place, said, head) => {
  inZone(place, () => {
    expect(clock(AT)).toBe(said);
    expect(zoned('Served')).toBe(head);
  });
});

test('two instants with the same clock time are distinguished by their offset at that instant, not the current one', () => {
  inZone('America/New_York', () => {
    expect([BACK - HOUR_MS / 2, BACK + HOUR_MS / 2].map((ms) => clock(ms))).toEqual([
      '2026-11-01 01:30:00 UTC-04:00',
      '2026-11-01 01:30:00 UTC-05:00',
    ]);
  });
});

test('a time with another offset than its header shows its own', () => {
  inZone('America/New_York', () => {
    expect(clockBelow(AT)).toBe('2026-11-25 13:30:07');
    expect(clockBelow(BACK - HOUR_MS, 'time')).toBe('01:00:00 UTC-04:00');
    expect(clockSpanBelow(BACK, BACK + HOUR_MS, 'minute')).toBe('2026-11-01 01:00 to 02:00');
    expect(clockSpanBelow(BACK - HOUR_MS, BACK, 'minute')).toBe('2026-11-01 01:00 UTC-04:00 to 01:00 UTC-05:00');
  });
});

test('a span shows its day and zone once if both ends share them', () => {
  expect(clockSpan(AT, AT + HOUR_MS)).toBe('2026-11-25 18:30:07 to 19:30:07 UTC');
  expect(clockSpan(AT, AT + 6 * HOUR_MS)).toBe('2026-11-25 18:30:07 to 2026-11-26 00:30:07 UTC');
  inZone('America/New_York', () => {
    expect(clockSpan(AT, AT + 6 * HOUR_MS)).toBe('2026-11-25 13:30:07 to 19:30:07 UTC-05:00');
    expect(clockSpan(BACK - HOUR_MS, BACK + HOUR_MS, 'time')).toBe('01:00:00 UTC-04:00 to 02:00:00 UTC-05:00');
  });
});

const labels = (from: string, to: string, stepMs: number): string[] => tickLabels(ticksOf(Date.parse(from), Date.parse(to), stepMs));

test('ticks are full local hours; midnight shows the day', () => {
  const day = ['2026-11-24T18:10:00Z', '2026-11-25T18:10:00Z', 6 * HOUR_MS] as const;
  expect(labels(...day)).toEqual(['11-25', '06:00', '12:00', '18:00']);
  inZone('America/New_York', () => expect(labels(...day)).toEqual(['18:00', '11-25', '06:00', '12:00']));
  inZone('Asia/Kolkata', () => expect(labels(...day)).toEqual(['11-25', '06:00', '12:00', '18:00']));
  inZone('Asia/Kolkata', () =>
    expect(ticksOf(Date.parse(day[0]), Date.parse(day[1]), 6 * HOUR_MS)[0]).toBe(Date.parse('2026-11-24T18:30:00Z')),
  );
});

test('ticks show seconds if any tick has them', () => {
  expect(labels('2026-11-25T18:00:00Z', '2026-11-25T18:01:00Z', 30_000)).toEqual(['18:00:00', '18:00:30', '18:01:00']);
});

test('when clocks go back, each tick shows its offset and the repeated hour has two ticks', () => {
  inZone('America/New_York', () => {
    expect(labels('2026-11-01T04:30:00Z', '2026-11-01T08:30:00Z', HOUR_MS)).toEqual(['01:00-04', '01:00-05', '02:00-05', '03:00-05']);
    expect(labels('2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z', 6 * HOUR_MS)).toEqual([
      '11-01',
      '06:00-05',
      '12:00-05',
      '18:00-05',
      '11-02',
    ]);
  });
});

test('when clocks go forward, the skipped hour has no tick', () => {
  inZone('America/New_York', () =>
    expect(labels('2026-03-08T06:00:00Z', '2026-03-08T09:00:00Z', HOUR_MS)).toEqual(['01:00-05', '03:00-04', '04:00-04', '05:00-04']),
  );
});
