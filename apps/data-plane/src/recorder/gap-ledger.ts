import type { Channel, FeedStatusEvent, GapReason } from '@market-state/market-data';
import type { RecordedEntry } from '../store/log-entry-row';

/** A line of the gap ledger. `endMs` 0: still open. `channel` absent: all channels. */
export interface GapRow {
  readonly gapId: string;
  readonly symbol: string;
  readonly channel: Channel | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly reason: GapReason | 'recording_seam';
  readonly resolution: 'open' | 'resynced' | 'resumed';
}

/** The end of a gap that an earlier entry opened. */
export interface GapEnd {
  readonly gapId: string;
  readonly endMs: number;
}

/** What a batch changes in the ledger, at most one row and one end for a gap. */
export interface LedgerChanges {
  readonly gaps: readonly GapRow[];
  readonly ends: readonly GapEnd[];
}

/** Reads gaps, seams and resyncs out of a batch, in log order. */
export function ledgerChanges(batch: readonly RecordedEntry[]): LedgerChanges {
  const gaps = new Map<string, GapRow>();
  const ends = new Map<string, GapEnd>();
  for (const { event } of batch) {
    if (event.kind !== 'feed_status') continue;
    const gap = openedBy(event);
    if (gap !== undefined) gaps.set(gap.gapId, gap);
    const { status } = event;
    if (status.type !== 'resynced') continue;
    const opened = gaps.get(status.gapId);
    if (opened === undefined) ends.set(status.gapId, { gapId: status.gapId, endMs: status.endMs });
    else gaps.set(status.gapId, { ...opened, endMs: status.endMs, resolution: 'resynced' });
  }
  return { gaps: [...gaps.values()], ends: [...ends.values()] };
}

function openedBy({ symbol, status }: FeedStatusEvent): GapRow | undefined {
  switch (status.type) {
    case 'gap': {
      const { gapId, channel, startMs, endMs, reason } = status;
      return { gapId, symbol, channel, startMs, endMs, reason, resolution: endMs === 0 ? 'open' : 'resumed' };
    }
    case 'seam': {
      const { gapId, startMs, endMs } = status;
      return { gapId, symbol, channel: undefined, startMs, endMs, reason: 'recording_seam', resolution: 'resumed' };
    }
    case 'connected':
    case 'disconnected':
    case 'resynced':
      return undefined;
  }
}
