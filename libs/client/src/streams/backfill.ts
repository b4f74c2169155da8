import type { Send } from '../send';
import type { CallOptions } from '../types';
import type { BackfillMessage, StreamMessage } from './types';

/** The longest window of packets that can be asked for. */
const WINDOW_SECONDS_MAX = 86_400;
const PAGE_ROWS = 100;

/** The stored packets of a day before a packet, oldest first. They are paid as pages of `replay`. */
export async function* packetsBefore(
  ask: Pick<Send, 'rows'>,
  symbol: string,
  view: 'packet' | 'compact' | undefined,
  first: StreamMessage,
  options: CallOptions,
): AsyncGenerator<BackfillMessage, void, undefined> {
  const until = eventIdOf(first);
  const params = { symbol, limit: PAGE_ROWS, replay_window_seconds: WINDOW_SECONDS_MAX, ...(view === undefined ? {} : { view }) };
  for await (const row of ask.rows('replayPackets', params, options)) {
    if (row.event_id === until) return;
    yield { type: 'backfill', symbol, data: row };
  }
}

function eventIdOf(message: StreamMessage): string | undefined {
  return message.type === 'packet' ? message.data.event_id : undefined;
}
