import { useEffect, useState } from 'react';

/** A page hidden for so long closes its streams. */
const HIDDEN_MS = 60_000;

/** False once the page has been hidden for a minute, so that nothing is paid for what nobody sees; true as soon as it is shown again. */
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
