import { useSyncExternalStore } from 'react';

const KEY = 'browser-alerts';
const listeners = new Set<() => void>();
let isOn = stored();

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) === 'on';
  } catch {
    return false;
  }
}

/** Stored for the next visit if the browser allows it. */
export function turnBrowserAlerts(on: boolean): void {
  isOn = on;
  try {
    localStorage.setItem(KEY, on ? 'on' : 'off');
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
  for (const listener of listeners) listener();
}

function watch(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** True if new alerts are to be shown as notifications of this browser. */
export function useBrowserAlerts(): boolean {
  return useSyncExternalStore(watch, () => isOn);
}
