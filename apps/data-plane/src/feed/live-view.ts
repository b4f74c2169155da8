import type { BookEvent, DeepBook, PlacedEvent } from '@market-state/market-data';

/** Whether the book follows the venue without a hole; `degraded`: and the source has no snapshot to mend it with. */
export type SyncState = 'in_sync' | 'resyncing' | 'degraded';

/** What a symbol's log says now, as far as the feed serves it. */
export interface LiveView {
  /** The last book appended, to 1,000 levels a side. */
  readonly book?: { readonly event: BookEvent; readonly deepBook: DeepBook };
  readonly syncState: SyncState;
  readonly feedClockMs: number;
}

export const emptyView: LiveView = { syncState: 'resyncing', feedClockMs: 0 };

/** The view once an event was appended. */
export function viewAfter(view: LiveView, { event, deepBook, dueFeedClockMs }: PlacedEvent): LiveView {
  const feedClockMs = dueFeedClockMs;
  if (event.kind === 'book' && deepBook !== undefined) return { book: { event, deepBook }, syncState: 'in_sync', feedClockMs };
  if (event.kind !== 'feed_status') return { ...view, feedClockMs };
  switch (event.status.type) {
    case 'connected':
    case 'disconnected':
    case 'seam':
      return { ...view, syncState: 'resyncing', feedClockMs };
    case 'gap':
      return { ...view, syncState: 'degraded', feedClockMs };
    case 'resynced':
      return { ...view, feedClockMs };
  }
}
