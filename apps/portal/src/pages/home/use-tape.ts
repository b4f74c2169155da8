import { useEffect, useState } from 'react';
import { drawEveryMs } from '../../theme/motion';

/** A packet each so many milliseconds while it plays. */
const STEP_MS = 700;

/** A position on a tape of so many packets that plays to its end, from the start again where it is at the end. */
export function useTape(total: number) {
  const [at, setAt] = useState(total - 1);
  const [isPlaying, setIsPlaying] = useState(false);
  const last = total - 1;
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(() => setAt((before) => Math.min(last, before + 1)), drawEveryMs(STEP_MS));
    return () => clearInterval(timer);
  }, [isPlaying, last]);
  useEffect(() => {
    if (at >= last) setIsPlaying(false);
  }, [at, last]);
  return {
    at: Math.min(at, last),
    isPlaying,
    toggle: () => {
      if (!isPlaying && at >= last) setAt(0);
      setIsPlaying(!isPlaying);
    },
    seek: (to: number) => {
      setIsPlaying(false);
      setAt(Math.min(last, Math.max(0, to)));
    },
  };
}
