import { useSyncExternalStore } from 'react';

/** The zone in which times are shown and read: UTC, or that of the browser. */
export type Zone = 'utc' | 'local';

const KEY = 'zone';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const listeners = new Set<() => void>();
let chosen = kept();

function kept(): Zone {
  try {
    return localStorage.getItem(KEY) === 'local' ? 'local' : 'utc';
  } catch {
    return 'utc';
  }
}

/** Its name on a button. */
export const zoneTitle = (zone: Zone): string => (zone === 'utc' ? 'UTC' : 'Local time');

/** The same in a sentence. */
export const zoneWords = (zone: Zone): string => (zone === 'utc' ? 'UTC' : 'local time');

export function currentZone(): Zone {
  return chosen;
}

/** Sets the zone on every part of the page at once, and keeps it for the next visit where the browser allows it. */
export function chooseZone(zone: Zone): void {
  chosen = zone;
  try {
    localStorage.setItem(KEY, zone);
  } catch {
    // The choice holds until the page is left.
  }
  for (const listener of listeners) listener();
}

function watch(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** The zone in force. The app as a whole uses it; so must what is drawn outside of React and what `memo` keeps from being drawn again. */
export function useZone(): Zone {
  return useSyncExternalStore(watch, currentZone);
}

/** How far a zone is ahead of UTC at an instant, milliseconds: daylight saving included. */
export function offsetMs(ms: number, zone: Zone): number {
  return zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset() * MINUTE_MS;
}

/**
 * The instants at which the clocks of a zone show a time, that time given as if it were UTC, milliseconds. None where clocks skip it, two
 * where they show it twice.
 */
export function instantsOf(wallMs: number, zone: Zone): readonly number[] {
  const around = new Set([wallMs - DAY_MS, wallMs + DAY_MS].map((ms) => wallMs - offsetMs(ms, zone)));
  return [...around].filter((ms) => ms + offsetMs(ms, zone) === wallMs).sort((a, b) => a - b);
}

/** Whether the browser's own zone is another than UTC, so that there is something to choose. */
export function hasLocalZone(): boolean {
  return !/^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal)$/.test(Intl.DateTimeFormat().resolvedOptions().timeZone);
}
