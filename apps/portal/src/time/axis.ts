import { bareClock, isOneZone, zoneName } from './clock';
import { currentZone, instantsOf, offsetMs } from './zone';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Distances between the ticks of a time axis, milliseconds: each divides the next unit evenly. */
export const TICK_STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 28].map((days) => days * DAY_MS),
];

/** The instants within a span at which the clocks of the zone in force show a multiple of a step: full hours are its own. */
export function ticksOf(startMs: number, endMs: number, stepMs: number): number[] {
  const zone = currentZone();
  const offsets = [offsetMs(startMs, zone), offsetMs(endMs, zone)];
  const lastMs = endMs + Math.max(...offsets);
  const ticks: number[] = [];
  for (let wallMs = Math.ceil((startMs + Math.min(...offsets)) / stepMs) * stepMs; wallMs <= lastMs; wallMs += stepMs)
    ticks.push(...instantsOf(wallMs, zone).filter((ms) => ms >= startMs && ms <= endMs));
  return ticks.sort((a, b) => a - b);
}

/** What ticks say: the time, with seconds where one has some, or the day at midnight; with its offset where that changes between them. */
export function tickLabels(ticks: readonly number[]): string[] {
  const shown = ticks.some((ms) => ms % MINUTE_MS > 0) ? 'time' : 'timeMinute';
  const [first = 0, last = 0] = [ticks[0], ticks.at(-1)];
  const offsetOf = (ms: number): string => (isOneZone(first, last) ? '' : zoneName(ms).replace('UTC', '').replace(':00', ''));
  return ticks.map((ms) => {
    const isMidnight = bareClock(ms, 'time') === '00:00:00';
    return isMidnight ? bareClock(ms, 'monthDay') : bareClock(ms, shown) + offsetOf(ms);
  });
}
