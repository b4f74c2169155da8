import { tickLabels, ticksOf } from './axis';
import { inZone } from '../../tests/in-zone';

const HOUR_MS = 3_600_000;
const labels = (from: string, to: string, stepMs: number): string[] => tickLabels(ticksOf(Date.parse(from), Date.parse(to), stepMs));

test('ticks are full hours of the zone in force; midnight is its day', () => {
  const day = ['2026-11-24T18:10:00Z', '2026-11-25T18:10:00Z', 6 * HOUR_MS] as const;
  expect(labels(...day)).toEqual(['11-25', '06:00', '12:00', '18:00']);
  inZone('America/New_York', () => expect(labels(...day)).toEqual(['18:00', '11-25', '06:00', '12:00']));
  inZone('Asia/Kolkata', () => expect(labels(...day)).toEqual(['11-25', '06:00', '12:00', '18:00']));
  inZone('Asia/Kolkata', () =>
    expect(ticksOf(Date.parse(day[0]), Date.parse(day[1]), 6 * HOUR_MS)[0]).toBe(Date.parse('2026-11-24T18:30:00Z')),
  );
});

test('seconds are said where a tick has some', () => {
  expect(labels('2026-11-25T18:00:00Z', '2026-11-25T18:01:00Z', 30_000)).toEqual(['18:00:00', '18:00:30', '18:01:00']);
});

test('where clocks go back each tick says its offset, and the hour that comes twice has two', () => {
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

test('where clocks go forward the hour that they skip has no tick', () => {
  inZone('America/New_York', () =>
    expect(labels('2026-03-08T06:00:00Z', '2026-03-08T09:00:00Z', HOUR_MS)).toEqual(['01:00-05', '03:00-04', '04:00-04', '05:00-04']),
  );
});
