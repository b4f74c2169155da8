import { useSyncExternalStore } from 'react';

/** A choice of this browser: stored for the next visit if it allows that, otherwise kept until the page is left. */
export function storedChoice<Word extends string>(key: string, usual: Word, other: Word) {
  const listeners = new Set<() => void>();
  let chosen = stored();
  function stored(): Word {
    try {
      return localStorage.getItem(key) === other ? other : usual;
    } catch {
      return usual;
    }
  }
  function watch(changed: () => void): () => void {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }
  const current = (): Word => chosen;
  return {
    current,
    choose(next: Word): void {
      chosen = next;
      store(key, next);
      for (const listener of listeners) listener();
    },
    use: (): Word => useSyncExternalStore(watch, current),
  };
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
}

/** New alerts are shown as notifications of this browser. */
export const browserAlerts = storedChoice('browser-alerts', 'off', 'on');
