import { currentZone, offsetMs, instantsOf } from './zone';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Each tick distance divides the next unit evenly. */
export const TICK_STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 28].map((days) => days * DAY_MS),
];

/** Instants at which the chosen zone's clock shows a multiple of the step, so that full hours are local ones. */
export function ticksOf(startMs: number, endMs: number, stepMs: number): number[] {
  const zone = currentZone();
  const offsets = [offsetMs(startMs, zone), offsetMs(endMs, zone)];
  const lastMs = endMs + Math.max(...offsets);
  const ticks: number[] = [];
  for (let wallMs = Math.ceil((startMs + Math.min(...offsets)) / stepMs) * stepMs; wallMs <= lastMs; wallMs += stepMs)
    ticks.push(...instantsOf(wallMs, zone).filter((ms) => ms >= startMs && ms <= endMs));
  return ticks.sort((a, b) => a - b);
}

/** Times, or the day at midnight; with the offset if it changes between ticks. */
export function tickLabels(ticks: readonly number[]): string[] {
  const shown = ticks.some((ms) => ms % MINUTE_MS > 0) ? 'time' : 'timeMinute';
  const [first = 0, last = 0] = [ticks[0], ticks.at(-1)];
  const offsetOf = (ms: number): string => (isOneZone(first, last) ? '' : zoneName(ms).replace('UTC', '').replace(':00', ''));
  return ticks.map((ms) => {
    const isMidnight = bareClock(ms, 'time') === '00:00:00';
    return isMidnight ? bareClock(ms, 'monthDay') : bareClock(ms, shown) + offsetOf(ms);
  });
}

/** Character range of `2026-11-25 18:30:07.250`. */
const SHOWN = {
  second: [0, 19],
  minute: [0, 16],
  monthSecond: [5, 19],
  monthMinute: [5, 16],
  day: [0, 10],
  monthDay: [5, 10],
  time: [11, 19],
  timeMinute: [11, 16],
  timeTenth: [11, 21],
  timeMilli: [11, 23],
} as const;

type Shown = keyof typeof SHOWN;

/** In epoch milliseconds, or as an answer states it. */
type Instant = number | string;

const msOf = (at: Instant): number => (typeof at === 'string' ? Date.parse(at) : at);

/** Without the zone: only for views that show the zone elsewhere. */
export function bareClock(at: Instant, shown: Shown): string {
  const ms = msOf(at);
  const wall = new Date(ms + offsetMs(ms, currentZone())).toISOString().replace('T', ' ');
  return wall.slice(...SHOWN[shown]);
}

function offsetWords(ms: number): string {
  const minutes = offsetMs(ms, currentZone()) / 60_000;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

/** `UTC`, or the offset then, such as `UTC-04:00`. */
export function zoneName(ms: number): string {
  return currentZone() === 'utc' ? 'UTC' : `UTC${offsetWords(ms)}`;
}

/** `2026-11-25 18:30:07 UTC`. */
export function clock(at: Instant, shown: Shown = 'second'): string {
  return `${bareClock(at, shown)} ${zoneName(msOf(at))}`;
}

/** Header of a time column: `Served, UTC`. */
export function zoned(head: string): string {
  return `${head}, ${zoneName(Date.now())}`;
}

/** Below a `zoned` header; adds the zone only if daylight saving makes it a different one. */
export function clockBelow(at: Instant, shown: Shown = 'second'): string {
  return zoneName(msOf(at)) === zoneName(Date.now()) ? bareClock(at, shown) : clock(at, shown);
}

const TIME_OF: Partial<Readonly<Record<Shown, Shown>>> = { second: 'time', minute: 'timeMinute' };

/** Always UTC, because caps, bills and key expiry use UTC days. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(...SHOWN.day);
}

export function isOneZone(fromMs: number, toMs: number): boolean {
  return zoneName(fromMs) === zoneName(toMs);
}

function spanParts(fromMs: number, toMs: number, shown: Shown): readonly [from: string, to: string] {
  const isOneDay = bareClock(fromMs, 'day') === bareClock(toMs, 'day');
  return [bareClock(fromMs, shown), bareClock(toMs, isOneDay ? (TIME_OF[shown] ?? shown) : shown)];
}

/** `2026-11-25 18:00:00 to 19:30:00 UTC`; shows both zones if daylight saving changes in between. */
export function clockSpan(start: Instant, end: Instant, shown: Shown = 'second'): string {
  const [fromMs, toMs] = [msOf(start), msOf(end)];
  const [from, to] = spanParts(fromMs, toMs, shown);
  return `${from}${isOneZone(fromMs, toMs) ? '' : ` ${zoneName(fromMs)}`} to ${to} ${zoneName(toMs)}`;
}

export function clockSpanBelow(start: Instant, end: Instant, shown: Shown = 'second'): string {
  const [fromMs, toMs] = [msOf(start), msOf(end)];
  const now = zoneName(Date.now());
  if (zoneName(fromMs) !== now || zoneName(toMs) !== now) return clockSpan(fromMs, toMs, shown);
  return spanParts(fromMs, toMs, shown).join(' to ');
}
