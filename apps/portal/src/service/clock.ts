import { useSyncExternalStore } from 'react';

const SECOND_MS = 1_000;

let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One timer for everything on the page that counts seconds. */
function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const listener of listeners) listener();
  }, SECOND_MS);
  return () => {
    listeners.delete(changed);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** This machine's clock, milliseconds since the epoch, to the second. */
export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

let leadMs: number | null = null;

/**
 * Notes that the service's clock stood at an instant when a message came in. Messages only ever come late, so the one that makes the
 * service's clock stand furthest ahead is the truest.
 */
export function noteServiceClock(serviceMs: number): void {
  if (Number.isNaN(serviceMs)) return;
  const lead = serviceMs - Date.now();
  if (leadMs === null || lead > leadMs) leadMs = lead;
}

/** How far the service's clock is ahead of this machine's, milliseconds; null before any message. */
export function serviceLeadMs(): number | null {
  return leadMs;
}
