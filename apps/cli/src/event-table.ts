import type { FeedStatus, MarketEvent } from '@market-state/market-data';
import { tableHead, tableLine, type Column } from './io/table';

const COLUMNS: readonly Column[] = [
  { title: 'ordinal', width: 9, right: true },
  { title: 'exchange time', width: 24 },
  { title: 'kind', width: 11 },
  { title: 'venue id', width: 20 },
  { title: 'what', width: 0 },
];

export function eventTableHead(): string {
  return tableHead(COLUMNS);
}

/** A log entry on one line: a book by its best prices. */
export function eventTableLine(event: MarketEvent): string {
  return tableLine(COLUMNS, [String(event.ordinal), new Date(event.exchangeTsMs).toISOString(), event.kind, event.venueId, whatOf(event)]);
}

function whatOf(event: MarketEvent): string {
  switch (event.kind) {
    case 'book': {
      const [bid] = event.bids;
      const [ask] = event.asks;
      return (
        `${bid?.size ?? ''} @ ${bid?.price ?? ''} | ${ask?.price ?? ''} @ ${ask?.size ?? ''} (${event.bids.length} + ` +
        `${event.asks.length} levels)`
      );
    }
    case 'trade':
      return `${event.aggressorSide} ${event.size} @ ${event.price}`;
    case 'context':
      return `funding ${event.fundingRate ?? '-'}, open interest ${event.openInterest ?? '-'}, mark ${event.markPrice ?? '-'}`;
    case 'liquidation':
      return `${event.positionSide} ${event.size} @ ${event.price} (${event.provenance})`;
    case 'tick':
      return '';
    case 'feed_status':
      return statusText(event.status);
  }
}

function statusText(status: FeedStatus): string {
  switch (status.type) {
    case 'connected':
      return `connected, ${status.sourceKind}: ${status.channels.join(', ')}`;
    case 'disconnected':
      return `disconnected: ${status.reason}`;
    case 'gap':
    case 'resynced':
    case 'seam':
      if (status.type === 'gap' && status.reason === 'arrived_late') return `gap ${status.gapId} withdrawn: what was missing came late`;
      return `${status.type} ${status.gapId}, ${status.startMs} to ${status.endMs === 0 ? 'open' : String(status.endMs)}`;
  }
}
