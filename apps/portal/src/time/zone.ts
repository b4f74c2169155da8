import { useSyncExternalStore } from 'react';

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

export const zoneTitle = (zone: Zone): string => (zone === 'utc' ? 'UTC' : 'Local time');

export const zoneWords = (zone: Zone): string => (zone === 'utc' ? 'UTC' : 'local time');

export function currentZone(): Zone {
  return chosen;
}

/** Stored for the next visit if the browser allows it. */
export function chooseZone(zone: Zone): void {
  chosen = zone;
  try {
    localStorage.setItem(KEY, zone);
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
  for (const listener of listeners) listener();
}

function watch(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Used by the app root, by drawings outside React, and by `memo` components that would not re-render otherwise. */
export function useZone(): Zone {
  return useSyncExternalStore(watch, currentZone);
}

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
