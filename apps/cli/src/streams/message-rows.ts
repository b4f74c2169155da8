import type { GapMessage, RowMessage } from '@market-state/client';
import { isRow, type Row } from '../output/row-writer';
import type { Format } from '../output/settings';

export const CHANNELS = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'] as const;

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

/** `summary` is made for display. */
const TABLE_COLUMNS = ['symbol', 'exchange_time_utc', 'channel', 'summary', 'flags'];

/** CSV columns by channel; for a book, the best level of each side. */
const CSV_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  book: ['best_bid_price', 'best_bid_size', 'best_ask_price', 'best_ask_size'],
  trades: ['aggressor_side', 'price', 'size', 'venue_id'],
  context: ['funding_rate', 'open_interest', 'mark_price', 'oracle_price', 'mid_price', 'day_volume'],
  liquidations: ['position_side', 'price', 'size', 'provenance'],
  control: ['kind', 'status'],
  packets: ['state', 'event_class', 'severity', 'confidence'],
};
const GAP_COLUMNS = ['gap_id', 'gap_reason', 'gap_end_utc'];

/** Columns for these channels (absent: all). Gaps have their own columns in CSV. */
export function rowColumns(format: Format, channels: readonly string[] = CHANNELS): readonly string[] {
  if (format !== 'csv') return TABLE_COLUMNS;
  const own = CHANNELS.filter((channel) => channels.includes(channel)).flatMap((channel) => CSV_COLUMNS[channel] ?? []);
  return ['symbol', 'exchange_time_utc', 'received_time_utc', 'channel', ...new Set(own), 'flags', ...GAP_COLUMNS];
}

type StreamedRow = RowMessage['data'];

/** Streamed row. Tables add a summary; CSV adds the channel's columns. */
export function rowOf(symbol: string, row: StreamedRow, format: Format): Row {
  const streamed: Row = { symbol, ...row };
  if (format === 'table') return { ...streamed, summary: summaryOf(row) };
  return format === 'csv' ? { ...streamed, ...valuesOf(row) } : streamed;
}

/** Gap, shown as a row. */
export function gapRow(symbol: string, gap: GapMessage['data'], format: Format): Row {
  const { gap_id: gapId, reason, channel, start_utc: startUtc, end_utc: endUtc } = gap;
  const shown = { symbol, exchange_time_utc: startUtc, channel: channel ?? 'all', flags: [] };
  if (format === 'table') return { ...shown, summary: `GAP ${gapId}: ${reason}, ${endUtc === null ? 'still open' : `until ${endUtc}`}` };
  return format === 'csv' ? { ...shown, gap_id: gapId, gap_reason: reason, gap_end_utc: endUtc } : { ...gap };
}

/** A later version of the service may have channels without either member. */
interface NamedRow {
  readonly channel: string;
  readonly row?: unknown;
  readonly packet?: unknown;
}

/** Values of the channel's CSV columns. */
function valuesOf({ channel, row, packet }: NamedRow): Row {
  if (isRow(packet)) {
    const { state, event_class: eventClass, severity, confidence } = packet;
    return {
      state,
      event_class: eventClass,
      severity: isRow(severity) ? severity['score'] : severity,
      confidence: isRow(confidence) ? confidence['score'] : confidence,
    };
  }
  if (!isRow(row)) return {};
  if (channel === 'book') {
    const [bid, ask] = [bestOf(row['bids']), bestOf(row['asks'])];
    return { best_bid_price: bid?.price, best_bid_size: bid?.size, best_ask_price: ask?.price, best_ask_size: ask?.size };
  }
  if (channel === 'control') return { kind: row['kind'], status: isRow(row['status']) ? row['status']['type'] : undefined };
  return Object.fromEntries((CSV_COLUMNS[channel] ?? []).map((name) => [name, row[name]]));
}

function summaryOf({ channel, row, packet }: NamedRow): string {
  if (isRow(packet)) return `${String(packet['state'])}, ${String(packet['event_class'])}`;
  if (!isRow(row)) return '';
  const said = (name: string): string => (row[name] === null || row[name] === undefined ? 'not reported' : String(row[name]));
  switch (channel) {
    case 'book':
      return `${inWords(bestOf(row['bids']))} bid, ${inWords(bestOf(row['asks']))} ask`;
    case 'trades':
      return `${said('aggressor_side')} ${said('size')} @ ${said('price')}`;
    case 'liquidations':
      return `${said('position_side')} ${said('size')} @ ${said('price')} liquidated`;
    case 'context':
      return `funding ${said('funding_rate')}, open interest ${said('open_interest')}, mark ${said('mark_price')}`;
    default:
      return said('kind');
  }
}

interface Level {
  readonly price: string;
  readonly size: string;
}

function bestOf(levels: unknown): Level | undefined {
  const best: unknown = Array.isArray(levels) ? levels[0] : undefined;
  if (Array.isArray(best)) return { price: String(best[0]), size: String(best[1]) };
  return isRow(best) ? { price: String(best['price']), size: String(best['size']) } : undefined;
}

function inWords(level: Level | undefined): string {
  return level === undefined ? 'nothing' : `${level.size} @ ${level.price}`;
}
