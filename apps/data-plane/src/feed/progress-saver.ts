import { waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { FeedState, FeedStateStore, Progress } from './feed-state';
import type { Anchor } from './pace';

/** Entries reserved beyond the last one. */
const reservedEntries = 2_000;

/** An end of the log that is, or is about to be, written. */
interface LogReach {
  readonly ordinal: number;
  readonly feedClockMs: number;
}

/** What is known to be written. */
export type Written = Pick<Progress, 'lastOrdinal' | 'lastFeedClockMs' | 'safeExchangeTsMs'>;

/** Writes a symbol's state, one write after the other. Waits for the store when it is away, where the caller must wait. */
export interface ProgressSaver {
  /** Resolves once everything up to `reach` may be appended; what lies `aheadMs` further is then reserved too. */
  reserve(reach: LogReach, written: Written, aheadMs: number): Promise<void>;
  /** Saves what is written, in the background; left out while another save is under way. A failure is logged. */
  saveSoon(written: Written, aheadMs: number): void;
  /** Resolves once a pass is stored: before its first entry is appended. What was reserved stays so. */
  begin(state: FeedState): Promise<void>;
  saveAnchor(anchor: Anchor | undefined): Promise<void>;
  /** Saves what is written as the last thing, if the store is there. What was reserved stays so: an append may have been cut off. */
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

  /** A lower reservation holds from before it is written, a higher one from after. */
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
        .catch((error: unknown) => logger.warn({ symbol, err: error }, 'the place of the feed could not be saved'))
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
        logger.warn({ symbol, err: error }, 'the place of the feed could not be saved'),
      );
    },
  };
}
