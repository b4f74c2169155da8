import { compareEntryIds, type EntryId, LOG_START } from '@market-state/event-log';
import { type EventHead, gapIdOf } from '@market-state/market-data';
import type { GapRow } from './gap-ledger';
import type { RecordedEntry } from '../store/log-entry-row';

/** A place where the log does not go on with the next ordinal. */
export interface Jump {
  /** Newest place before the hole. */
  readonly before: EntryId;
  /** First entry after it. */
  readonly after: RecordedEntry;
}

/** Every hole between the position and the end of a batch. A log that starts after nothing has none. */
export function findJumps(position: EntryId, batch: readonly RecordedEntry[]): Jump[] {
  const jumps: Jump[] = [];
  let before = position;
  for (const after of batch) {
    const { epoch, ordinal } = after.entry;
    const isFirstEver = compareEntryIds(before, LOG_START) === 0;
    if (!isFirstEver && ordinal !== before.ordinal + 1) jumps.push({ before, after });
    before = { epoch, ordinal };
  }
  return jumps;
}

/** Whether the feed itself tells, right after the hole, of a gap that reaches back to `lastExchangeTsMs`. */
function isToldByFeed(event: EventHead, lastExchangeTsMs: number): boolean {
  if (event.kind !== 'feed_status' || event.status.type !== 'gap') return false;
  return event.status.channel === undefined && event.status.startMs <= lastExchangeTsMs;
}

/**
 * The gap that a hole leaves in the rows: from the last exchange time recorded to the first entry after it. Undefined when
 * the feed's own gap entry covers it. Its id is the same however often the hole is met.
 */
export function gapOfJump({ after }: Jump, lastExchangeTsMs: number): GapRow | undefined {
  const { event } = after;
  if (isToldByFeed(event, lastExchangeTsMs)) return undefined;
  const reason = 'log_lost';
  const { venue, symbol, pass } = event;
  return {
    gapId: gapIdOf({ venue, symbol, pass, reason, startMs: lastExchangeTsMs, lastVenueId: '' }),
    symbol,
    channel: undefined,
    startMs: lastExchangeTsMs,
    endMs: Math.max(event.exchangeTsMs, lastExchangeTsMs),
    reason,
    resolution: 'resumed',
    toldMs: event.receivedTsMs,
  };
}
