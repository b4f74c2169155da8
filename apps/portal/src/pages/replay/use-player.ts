import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useIsSeen } from '../../service/visibility';
import { drawEveryMs } from '../../theme/motion';
import { clamp } from './cursor';
import { advance } from './pace';

/** The cursor is drawn at most so often, milliseconds. */
const DRAW_MS = 100;

interface PlayerProps {
  readonly bounds: { readonly fromMs: number; readonly toMs: number };
  readonly startMs: number;
  readonly speed: number;
  /** Up to where an instant can move on without waiting. */
  readonly readableTo: (ms: number) => number;
}

export interface Player {
  /** Exchange time of the cursor, milliseconds since the epoch. */
  readonly atMs: number;
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  readonly pause: () => void;
  readonly seek: (ms: number) => void;
}

/** One cursor for everything that is shown. It moves by exchange time, as fast as the reader wants, over what is read already. */
export function usePlayer({ bounds, startMs, speed, readableTo }: PlayerProps): Player {
  const [atMs, setAtMs] = useState(startMs);
  const [isPlaying, setIsPlaying] = useState(false);
  const isSeen = useIsSeen();
  const { fromMs, toMs } = bounds;
  const moved = useEffectEvent((elapsedMs: number) => {
    const nextMs = advance(atMs, elapsedMs, speed, Math.min(toMs, readableTo(atMs)));
    setAtMs(nextMs);
    if (nextMs >= toMs) setIsPlaying(false);
  });
  useEffect(() => {
    if (!isSeen) setIsPlaying(false);
  }, [isSeen]);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const everyMs = drawEveryMs(DRAW_MS);
    let drawnMs = performance.now();
    let frame = requestAnimationFrame(function tick(nowMs) {
      frame = requestAnimationFrame(tick);
      if (nowMs - drawnMs < everyMs) return;
      moved(nowMs - drawnMs);
      drawnMs = nowMs;
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);

  const seek = useCallback((ms: number) => setAtMs(clamp(ms, { fromMs, toMs })), [fromMs, toMs]);
  const pause = useCallback(() => setIsPlaying(false), []);
  const toggle = useCallback(() => {
    if (!isPlaying && atMs >= toMs) setAtMs(fromMs);
    setIsPlaying(!isPlaying);
  }, [isPlaying, atMs, fromMs, toMs]);
  return { atMs, isPlaying, toggle, pause, seek };
}
