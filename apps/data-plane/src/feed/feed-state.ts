import { nextShift, type RecordingSpan } from '@market-state/market-data';
import { waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Anchor } from './clock';

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

const reservedEntries = 2_000;

interface LogReach {
  readonly ordinal: number;
  readonly feedClockMs: number;
}

export type Written = Pick<Progress, 'lastOrdinal' | 'lastFeedClockMs' | 'safeExchangeTsMs'>;

/** Serializes writes of a symbol's state. Waits for an unavailable store only if the caller must wait. */
export interface ProgressSaver {
  /** Resolves once everything up to `reach` may be appended; also reserves `aheadMs` more. */
  reserve(reach: LogReach, written: Written, aheadMs: number): Promise<void>;
  /** Skipped if a save is in progress. Failures are logged. */
  saveSoon(written: Written, aheadMs: number): void;
  /** Must resolve before a pass's first append. Reservations remain. */
  begin(state: FeedState): Promise<void>;
  saveAnchor(anchor: Anchor | undefined): Promise<void>;
  /** Final save, if the store is available. Reservations remain, since an append may have been interrupted. */
  saveLast(written: Written): Promise<void>;
}

export function createProgressSaver(
  store: FeedStateStore,
  symbol: string,
  { fence, logger, signal }: { readonly fence: number; readonly logger: Logger; readonly signal: AbortSignal },
): ProgressSaver {
  let reserved: LogReach = { ordinal: 0, feedClockMs: -Infinity };
  let writing: Promise<void> = Promise.resolve();
  let isSaving = false;

  function inTurn(write: () => Promise<void>): Promise<void> {
    const turn = writing.then(write);
    writing = turn.catch(() => undefined);
    return turn;
  }

  /** Lower reservations apply before the write, higher ones only after it. */
  function lower(reach: LogReach): void {
    reserved = {
      ordinal: Math.min(reserved.ordinal, reach.ordinal),
      feedClockMs: Math.min(reserved.feedClockMs, reach.feedClockMs),
    };
  }

  async function save(written: Written, reach: LogReach): Promise<void> {
    await store.saveProgress(symbol, fence, { ...written, reservedOrdinal: reach.ordinal, reservedFeedClockMs: reach.feedClockMs });
    reserved = reach;
  }

  const untilDone = (write: () => Promise<void>) => inTurn(() => waitFor('postgres', write, { signal, logger }));

  return {
    async reserve(reach, written, aheadMs) {
      if (reach.ordinal <= reserved.ordinal && reach.feedClockMs <= reserved.feedClockMs) return;
      const further = { ordinal: reach.ordinal + reservedEntries, feedClockMs: reach.feedClockMs + aheadMs };
      await untilDone(() => save(written, further));
    },
    saveSoon(written, aheadMs) {
      if (isSaving) return;
      isSaving = true;
      const reach = { ordinal: written.lastOrdinal + reservedEntries, feedClockMs: written.lastFeedClockMs + aheadMs };
      lower(reach);
      inTurn(() => save(written, reach))
        .catch((error: unknown) => logger.warn({ symbol, err: error }, 'saving the progress of the feed failed'))
        .finally(() => (isSaving = false));
    },
    async begin(state) {
      const reservedOrdinal = Math.max(state.progress.reservedOrdinal, reserved.ordinal);
      const reservedFeedClockMs = Math.max(state.progress.reservedFeedClockMs, reserved.feedClockMs);
      await untilDone(() => store.begin({ ...state, progress: { ...state.progress, reservedOrdinal, reservedFeedClockMs } }, fence));
      reserved = { ordinal: reservedOrdinal, feedClockMs: reservedFeedClockMs };
    },
    saveAnchor: (anchor) => untilDone(() => store.saveAnchor(symbol, fence, anchor)),
    async saveLast(written) {
      if (reserved.ordinal < written.lastOrdinal) return;
      await inTurn(() => save(written, reserved)).catch((error: unknown) =>
        logger.warn({ symbol, err: error }, 'saving the progress of the feed failed'),
      );
    },
  };
}
