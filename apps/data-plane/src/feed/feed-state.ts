import { nextShift, type RecordingSpan } from '@market-state/market-data';
import type { Anchor } from './pace';

/** What a pass begins with. */
export type Opening = 'first' | 'seam' | 'log_lost' | 'feed_down';

/** Where the feed is in a symbol's log. Times are milliseconds since the epoch. */
export interface FeedState {
  readonly symbol: string;
  readonly epoch: number;
  /** Rises from 1 for ever. */
  readonly pass: number;
  /** Added to every time of the pass. */
  readonly shiftMs: number;
  readonly passFirstOrdinal: number;
  readonly opening: Opening;
  /** Last exchange time before the pass: where its seam or gap starts. 0 for `first`. */
  readonly openingStartMs: number;
  /** Digest of the content of the files played. */
  readonly recording: string;
  readonly progress: Progress;
  /** Absent: the feed clock is the wall clock. */
  readonly anchor?: Anchor;
}

/** How far the log of a symbol is known to be written. */
export interface Progress {
  readonly lastOrdinal: number;
  /** Feed clock at that entry. */
  readonly lastFeedClockMs: number;
  /** Newest exchange time up to the last entry that every consumer has committed: what may be missing after a loss starts there. */
  readonly safeExchangeTsMs: number;
  /** No entry beyond this ordinal was ever appended, nor one beyond this feed clock. */
  readonly reservedOrdinal: number;
  readonly reservedFeedClockMs: number;
}

/** The state with which the pass after a whole one begins. */
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

/**
 * Where the state is kept. Every method rejects while the store is away and may then be called again; those that write reject too when
 * the log has passed to a feed with a newer fence.
 */
export interface FeedStateStore {
  read(symbol: string): Promise<FeedState | undefined>;
  /** Written before a pass appends its first entry. */
  begin(state: FeedState, fence: number): Promise<void>;
  saveProgress(symbol: string, fence: number, progress: Progress): Promise<void>;
  saveAnchor(symbol: string, fence: number, anchor: Anchor | undefined): Promise<void>;
}
