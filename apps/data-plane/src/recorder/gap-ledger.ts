import type { GapSpan } from '@market-state/live-market';
import { type Channel, type FeedStatusEvent, type GapReason, lossOf } from '@market-state/market-data';
import type { RecordedEntry } from '../store/log-entry-row';

/** A line of the gap ledger, as it was told. `endMs` 0: still open. `channel` absent: all channels. */
export interface GapRow {
  readonly gapId: string;
  readonly symbol: string;
  readonly channel: Channel | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly reason: GapReason | 'recording_seam';
  readonly resolution: 'open' | 'resynced' | 'resumed' | 'withdrawn';
  /** Feed clock when it was told so: when the entry came that told it, or after which it was found. */
  readonly toldMs: number;
}

/** A line of the ledger as it counts in memory. */
export function spanOfGap(row: GapRow): GapSpan {
  const { gapId, channel, startMs, endMs, resolution } = row;
  return { gapId, channel, startMs, endMs, isSeam: lossOf(row) === 'none', isWithdrawn: resolution === 'withdrawn' };
}

/** One change of the ledger. */
export type LedgerChange =
  /** A gap, told for the first time or with its end. */
  | { readonly type: 'told'; readonly gap: GapRow }
  /** The gap ends with a fresh snapshot. */
  | { readonly type: 'resynced'; readonly gapId: string; readonly endMs: number; readonly toldMs: number }
  /** All that was missing came late: the gap keeps its span, and counts for nothing. */
  | { readonly type: 'withdrawn'; readonly gapId: string; readonly toldMs: number }
  /** What was open ends where a gap of all channels takes over: whoever opened it has forgotten it. */
  | { readonly type: 'taken_over'; readonly symbol: string; readonly byGapId: string; readonly startMs: number; readonly toldMs: number };

/** Gaps that the log itself ends up in anew: what came before them is not gone on with. */
const ANEW: ReadonlySet<GapRow['reason']> = new Set(['log_lost', 'feed_down', 'recording_seam']);

/** Reads gaps, seams and their ends out of a batch, in the order they were told in; `missing` are the gaps that its own holes leave. */
export function ledgerChanges(missing: readonly GapRow[], batch: readonly RecordedEntry[]): LedgerChange[] {
  const told = batch.flatMap(({ event }) => (event.kind === 'feed_status' ? changesOf(event) : []));
  return [...missing.flatMap(telling), ...told].sort((a, b) => toldMsOf(a) - toldMsOf(b));
}

function changesOf(event: FeedStatusEvent): LedgerChange[] {
  const { status, receivedTsMs: toldMs } = event;
  if (status.type === 'resynced') return [{ type: 'resynced', gapId: status.gapId, endMs: status.endMs, toldMs }];
  if (status.type === 'gap' && status.reason === 'arrived_late') return [{ type: 'withdrawn', gapId: status.gapId, toldMs }];
  return gapsToldBy(event).flatMap(telling);
}

/** The gap or seam that an entry tells of, as it stands then; none where it tells of something else, or of the end of one. */
export function gapsToldBy({ symbol, status, receivedTsMs: toldMs }: FeedStatusEvent): GapRow[] {
  switch (status.type) {
    case 'gap': {
      const { gapId, channel, startMs, endMs, reason } = status;
      if (reason === 'arrived_late') return [];
      return [{ gapId, symbol, channel, startMs, endMs, reason, resolution: endMs === 0 ? 'open' : 'resumed', toldMs }];
    }
    case 'seam': {
      const { gapId, startMs, endMs } = status;
      return [{ gapId, symbol, channel: undefined, startMs, endMs, reason: 'recording_seam', resolution: 'resumed', toldMs }];
    }
    case 'resynced':
    case 'connected':
    case 'disconnected':
      return [];
  }
}

function telling(gap: GapRow): LedgerChange[] {
  const told: LedgerChange = { type: 'told', gap };
  if (gap.channel !== undefined || !ANEW.has(gap.reason)) return [told];
  return [{ type: 'taken_over', symbol: gap.symbol, byGapId: gap.gapId, startMs: gap.startMs, toldMs: gap.toldMs }, told];
}

function toldMsOf(change: LedgerChange): number {
  return change.type === 'told' ? change.gap.toldMs : change.toldMs;
}
