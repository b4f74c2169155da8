import { storedChoice } from '../service/stored-choice';

export type Zone = 'utc' | 'local';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const chosen = storedChoice<Zone>('zone', 'utc', 'local');

export const zoneTitle = (zone: Zone): string => (zone === 'utc' ? 'UTC' : 'Local time');

export const zoneWords = (zone: Zone): string => (zone === 'utc' ? 'UTC' : 'local time');

export const currentZone = chosen.current;

export const chooseZone = chosen.choose;

/** Used by the app root, by drawings outside React, and by `memo` components that would not re-render otherwise. */
export const useZone = chosen.use;

/** Includes daylight saving. */
export function offsetMs(ms: number, zone: Zone): number {
  return zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset() * MINUTE_MS;
}

/**
 * Instants at which a zone's clock shows a time, which is given as if it were UTC. None if the clock skips it, two if
 * it repeats.
 */
export function instantsOf(wallMs: number, zone: Zone): readonly number[] {
  const around = new Set([wallMs - DAY_MS, wallMs + DAY_MS].map((ms) => wallMs - offsetMs(ms, zone)));
  return [...around].filter((ms) => ms + offsetMs(ms, zone) === wallMs).sort((a, b) => a - b);
}

export function hasLocalZone(): boolean {
  return !/^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal)$/.test(Intl.DateTimeFormat().resolvedOptions().timeZone);
}
