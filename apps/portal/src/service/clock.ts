import { useSyncExternalStore } from 'react';

const SECOND_MS = 1_000;

let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

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

/** Local clock in epoch milliseconds, at one-second resolution. */
export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

let leadMs: number | null = null;

/** Messages can only be delayed, so the largest lead seen is the most accurate. */
export function noteServiceClock(serviceMs: number): void {
  if (Number.isNaN(serviceMs)) return;
  const lead = serviceMs - Date.now();
  if (leadMs === null || lead > leadMs) leadMs = lead;
}

/** Lead of the service's clock over the local one; null before any message. */
export function serviceLeadMs(): number | null {
  return leadMs;
}
