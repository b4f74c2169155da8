import type { GapSpan } from '@market-state/live-market';
import { type Channel, type FeedStatusEvent, type GapReason, lossOf, type EventHead, gapIdOf } from '@market-state/market-data';
import type { RecordedEntry } from '../store/log-entries';
import { compareEntryIds, type EntryId, LOG_START } from '@market-state/event-log';

/** Gap ledger entry. `endMs` 0: still open. `channel` absent: all channels. */
export interface GapRow {
  readonly gapId: string;
  readonly symbol: string;
  readonly channel: Channel | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly reason: GapReason | 'recording_seam';
  readonly resolution: 'open' | 'resynced' | 'resumed' | 'withdrawn';
  /** Feed clock of the report, or of the detection. */
  readonly reportedAtMs: number;
}

export function spanOfGap(row: GapRow): GapSpan {
  const { gapId, channel, startMs, endMs, resolution } = row;
  return { gapId, channel, startMs, endMs, isSeam: lossOf(row) === 'none', isWithdrawn: resolution === 'withdrawn' };
}

export type LedgerChange =
  | { readonly type: 'reported'; readonly gap: GapRow }
  | { readonly type: 'resynced'; readonly gapId: string; readonly endMs: number; readonly reportedAtMs: number }
  /** Everything missing arrived late: the gap keeps its span but does not count. */
  | { readonly type: 'withdrawn'; readonly gapId: string; readonly reportedAtMs: number }
  /** Open gaps end where a gap of all channels starts: its feed no longer knows them. */
  | {
      readonly type: 'taken_over';
      readonly symbol: string;
      readonly byGapId: string;
      readonly startMs: number;
      readonly reportedAtMs: number;
    };

/** Gap kinds that reset the log: earlier open gaps are closed. */
const RESETTING_REASONS: ReadonlySet<GapRow['reason']> = new Set(['log_lost', 'feed_down', 'recording_seam']);

export function ledgerChanges(missing: readonly GapRow[], batch: readonly RecordedEntry[]): LedgerChange[] {
  const fromFeed = batch.flatMap(({ event }) => (event.kind === 'feed_status' ? changesOf(event) : []));
  return [...missing.flatMap(telling), ...fromFeed].sort((a, b) => reportedAtMsOf(a) - reportedAtMsOf(b));
}

function changesOf(event: FeedStatusEvent): LedgerChange[] {
  const { status, receivedTsMs: reportedAtMs } = event;
  if (status.type === 'resynced') return [{ type: 'resynced', gapId: status.gapId, endMs: status.endMs, reportedAtMs }];
  if (status.type === 'gap' && status.reason === 'arrived_late') return [{ type: 'withdrawn', gapId: status.gapId, reportedAtMs }];
  return gapsReportedBy(event).flatMap(telling);
}

/** Gap or seam opened by an entry, as of that entry; empty for others. */
export function gapsReportedBy({ symbol, status, receivedTsMs: reportedAtMs }: FeedStatusEvent): GapRow[] {
  switch (status.type) {
    case 'gap': {
      const { gapId, channel, startMs, endMs, reason } = status;
      if (reason === 'arrived_late') return [];
      return [{ gapId, symbol, channel, startMs, endMs, reason, resolution: endMs === 0 ? 'open' : 'resumed', reportedAtMs }];
    }
    case 'seam': {
      const { gapId, startMs, endMs } = status;
      return [{ gapId, symbol, channel: undefined, startMs, endMs, reason: 'recording_seam', resolution: 'resumed', reportedAtMs }];
    }
    case 'resynced':
    case 'connected':
    case 'disconnected':
      return [];
  }
}

function telling(gap: GapRow): LedgerChange[] {
  const change: LedgerChange = { type: 'reported', gap };
  if (gap.channel !== undefined || !RESETTING_REASONS.has(gap.reason)) return [change];
  return [{ type: 'taken_over', symbol: gap.symbol, byGapId: gap.gapId, startMs: gap.startMs, reportedAtMs: gap.reportedAtMs }, change];
}

function reportedAtMsOf(change: LedgerChange): number {
  return change.type === 'reported' ? change.gap.reportedAtMs : change.reportedAtMs;
}

export interface Jump {
  readonly before: EntryId;
  readonly after: RecordedEntry;
}

/** Breaks between the position and the batch's end. A log that starts from nothing has none. */
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

function isReportedByFeed(event: EventHead, lastExchangeTsMs: number): boolean {
  if (event.kind !== 'feed_status' || event.status.type !== 'gap') return false;
  return event.status.channel === undefined && event.status.startMs <= lastExchangeTsMs;
}

/** Undefined if the feed reports the gap. The id is deterministic. */
export function gapOfJump({ after }: Jump, lastExchangeTsMs: number): GapRow | undefined {
  const { event } = after;
  if (isReportedByFeed(event, lastExchangeTsMs)) return undefined;
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
    reportedAtMs: event.receivedTsMs,
  };
}
