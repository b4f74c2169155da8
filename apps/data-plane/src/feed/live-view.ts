import type { BookEvent, DeepBook, PlacedEvent } from '@market-state/market-data';

/** Whether the book follows the venue without a hole; `degraded`: and nobody has given a snapshot to mend it with. */
export type SyncState = 'in_sync' | 'resyncing' | 'degraded';

/** What a symbol's log says now, as far as the feed serves it. */
export interface LiveView {
  /** The last book appended; deeper, to 1,000 levels a side, where the venue sends more levels than an event holds. */
  readonly book?: { readonly event: BookEvent; readonly deepBook?: DeepBook };
  readonly syncState: SyncState;
  readonly feedClockMs: number;
}

export const emptyView: LiveView = { syncState: 'resyncing', feedClockMs: 0 };

/** The view once an event was appended. */
export function viewAfter(view: LiveView, { event, deepBook, dueFeedClockMs }: PlacedEvent): LiveView {
  const feedClockMs = dueFeedClockMs;
  if (event.kind === 'book') return { book: { event, deepBook }, syncState: 'in_sync', feedClockMs };
  if (event.kind !== 'feed_status') return { ...view, feedClockMs };
  switch (event.status.type) {
    case 'connected':
    case 'disconnected':
    case 'seam':
      return { ...view, syncState: 'resyncing', feedClockMs };
    case 'gap': {
      const isOfBook = event.status.endMs === 0 && (event.status.channel ?? 'book') === 'book';
      return isOfBook ? { ...view, syncState: isLive(event) ? 'resyncing' : 'degraded', feedClockMs } : { ...view, feedClockMs };
    }
    case 'resynced':
      return { ...view, feedClockMs };
  }
}

/** A live venue can be asked for a snapshot; a recording can't. */
function isLive({ pass }: { readonly pass: number }): boolean {
  return pass === 0;
}
