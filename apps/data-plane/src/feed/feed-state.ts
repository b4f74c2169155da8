import { nextShift, type RecordingSpan } from '@market-state/market-data';
import type { Anchor } from './pace';

export type Opening = 'first' | 'seam' | 'log_lost' | 'feed_down';

export interface FeedState {
  readonly symbol: string;
  readonly epoch: number;
  /** Never restarts. */
  readonly pass: number;
  readonly shiftMs: number;
  readonly passFirstOrdinal: number;
  readonly opening: Opening;
  /** Last exchange time before the pass: start of its seam or gap; 0 for `first`. */
  readonly openingStartMs: number;
  readonly recording: string;
  readonly progress: Progress;
  /** Absent: the feed clock is the wall clock. */
  readonly anchor?: Anchor;
}

export interface Progress {
  readonly lastOrdinal: number;
  readonly lastFeedClockMs: number;
  /** Newest exchange time committed by every consumer: start of the gap after a loss. */
  readonly safeExchangeTsMs: number;
  /** No entry beyond this ordinal or feed clock was ever appended. */
  readonly reservedOrdinal: number;
  readonly reservedFeedClockMs: number;
}

export function nextPass(
  state: FeedState,
  span: RecordingSpan,
  written: Omit<Progress, 'reservedOrdinal' | 'reservedFeedClockMs'>,
  anchor: Anchor | undefined,
): FeedState {
  return {
    ...state,
    pass: state.pass + 1,
    shiftMs: nextShift(span, state.shiftMs),
    passFirstOrdinal: written.lastOrdinal + 1,
    opening: 'seam',
    openingStartMs: span.lastExchangeMs + state.shiftMs,
    progress: { ...state.progress, ...written },
    anchor,
  };
}

/** Methods reject while the store is unavailable; writes also reject once a newer fence took over. */
export interface FeedStateStore {
  read(symbol: string): Promise<FeedState | undefined>;
  /** Must precede the first append of a pass. */
  begin(state: FeedState, fence: number): Promise<void>;
  saveProgress(symbol: string, fence: number, progress: Progress): Promise<void>;
  saveAnchor(symbol: string, fence: number, anchor: Anchor | undefined): Promise<void>;
}
