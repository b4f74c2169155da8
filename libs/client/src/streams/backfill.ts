import type { Send } from '../send';
import type { CallOptions, Schemas } from '../types';
import type { BackfillMessage, RowBackfillMessage, StreamMessage } from './types';

/** The longest window of packets that can be asked for. */
const WINDOW_SECONDS_MAX = 86_400;
/** The longest window of rows. */
const WINDOW_MS_MAX = 3_600_000;
/** Rows of different channels may be so far out of the order of their times. */
const DISORDER_MS = 1_000;
const PAGE_ROWS = 100;

type Ask = Pick<Send, 'rows'>;
type Row = Schemas['DataRow'];

/** The stored packets of a day before a packet, oldest first. They are paid as pages of `replay`. */
export async function* packetsBefore(
  ask: Ask,
  symbol: string,
  view: 'packet' | 'compact' | undefined,
  first: StreamMessage,
  options: CallOptions,
): AsyncGenerator<BackfillMessage, void, undefined> {
  const until = first.type === 'packet' ? first.data.event_id : undefined;
  const params = { symbol, limit: PAGE_ROWS, replay_window_seconds: WINDOW_SECONDS_MAX, ...(view === undefined ? {} : { view }) };
  for await (const row of ask.rows('replayPackets', params, options)) {
    if (row.event_id === until) return;
    yield { type: 'backfill', symbol, data: row };
  }
}

/** The stored rows of an hour before a row, in the order of the log. They are paid as pages of `replay/window`. */
export async function* rowsBefore(
  ask: Ask,
  symbol: string,
  channels: string | undefined,
  first: StreamMessage,
  options: CallOptions,
): AsyncGenerator<RowBackfillMessage, void, undefined> {
  const until = first.type === 'row' ? first.data : first.type === 'conflated' ? first.data.rows[0] : undefined;
  if (until === undefined) return;
  const endMs = Date.parse(until.exchange_time_utc) + DISORDER_MS;
  const params = { symbol, start: String(endMs - WINDOW_MS_MAX), end: String(endMs), ...(channels === undefined ? {} : { channels }) };
  for await (const row of ask.rows('getReplayWindow', params, options))
    if (isBefore(row, until)) yield { type: 'backfill', symbol, data: row };
}

function isBefore(row: Row, other: Row): boolean {
  return row.epoch === other.epoch ? row.sequence < other.sequence : row.epoch < other.epoch;
}
