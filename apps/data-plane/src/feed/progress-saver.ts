import { waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { FeedState, FeedStateStore, Progress } from './feed-state';
import type { Anchor } from './pace';

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
