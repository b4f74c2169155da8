import { useEffect, useState } from 'react';

const HIDDEN_MS = 60_000;

/**
 * False after the page has been hidden for a minute, so that hidden pages cost nothing; true as soon as it is visible
 * again.
 */
export function useIsSeen(): boolean {
  const [isSeen, setIsSeen] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = (): void => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') setIsSeen(true);
      else timer = setTimeout(() => setIsSeen(false), HIDDEN_MS);
    };
    document.addEventListener('visibilitychange', changed);
    changed();
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', changed);
    };
  }, []);
  return isSeen;
}

/** Also covers pages that the browser puts in its back/forward cache, which would keep the key. */
export function useLeaving(leave: () => void): void {
  useEffect(() => {
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, [leave]);
}
