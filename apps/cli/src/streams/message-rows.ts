import type { GapMessage, RowMessage } from '@market-state/client';
import { isRow, type Row } from '../output/cells';

export const CHANNELS = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'] as const;

/** What a table shows of packets as they come. */
export const PACKET_COLUMNS = [
  'symbol',
  'window_end_utc',
  'state',
  'state_age_packets',
  'event_class',
  'severity.score',
  'confidence.label',
  'runner_up_state',
  'state_margin',
  'response_state',
];

/** What a table shows of rows as they come; `what` is made for people. */
export const ROW_COLUMNS = ['symbol', 'exchange_time_utc', 'channel', 'what', 'flags'];

type StreamedRow = RowMessage['data'];

/** A row of a stream as it came. In a table and in CSV `what` says in short what it holds. */
export function rowOf(symbol: string, row: StreamedRow, isForPeople: boolean): Row {
  const streamed: Row = { symbol, ...row };
  return isForPeople ? { ...streamed, what: whatOf(row) } : streamed;
}

/** A hole in the rows, as a row among them. */
export function gapRow(symbol: string, gap: GapMessage['data'], isForPeople: boolean): Row {
  if (!isForPeople) return { ...gap };
  const what = `GAP ${gap.gap_id}: ${gap.reason}, ${gap.end_utc === null ? 'still open' : `until ${gap.end_utc}`}`;
  return { symbol, exchange_time_utc: gap.start_utc, channel: gap.channel ?? 'all', what, flags: [] };
}

function whatOf({ channel, row, packet }: StreamedRow): string {
  if (isRow(packet)) return `${String(packet['state'])}, ${String(packet['event_class'])}`;
  if (!isRow(row)) return '';
  const said = (name: string): string => (row[name] === null || row[name] === undefined ? 'not reported' : String(row[name]));
  switch (channel) {
    case 'book':
      return `${bestOf(row['bids'])} bid, ${bestOf(row['asks'])} ask`;
    case 'trades':
      return `${said('aggressor_side')} ${said('size')} @ ${said('price')}`;
    case 'liquidations':
      return `${said('position_side')} ${said('size')} @ ${said('price')} closed by force`;
    case 'context':
      return `funding ${said('funding_rate')}, open interest ${said('open_interest')}, mark ${said('mark_price')}`;
    default:
      return said('kind');
  }
}

/** Size and price of the best level; levels are pairs or objects. */
function bestOf(levels: unknown): string {
  const best: unknown = Array.isArray(levels) ? levels[0] : undefined;
  if (Array.isArray(best)) return `${String(best[1])} @ ${String(best[0])}`;
  return isRow(best) ? `${String(best['size'])} @ ${String(best['price'])}` : 'nothing';
}
