import { CliError } from '../cli-error';
import { counted } from '../io/instant';
import { type RestApi, RestRefusal } from '../io/rest-api';
import { type Message, timeOfDay } from './message';

const REPLAY = '/api/public/market-state/replay';
const WINDOW_SECONDS = 60;

interface Replay {
  readonly packets: readonly { readonly event_id: string; readonly route_refs: { readonly replay_window: string } }[];
  readonly window_start_utc: string;
  readonly window_end_utc: string;
  readonly lineage_verified: boolean;
}

interface Rows {
  readonly completeness: { readonly rows_sent: number };
  readonly next_cursor: string | null;
}

/**
 * What the replay cursor of a message opens, in a sentence: the packets up to its own, and the rows that this was made from. Undefined
 * without a cursor.
 */
export async function reopenWindow(api: RestApi, { data }: Message): Promise<string | undefined> {
  const { symbol = '', replay_cursor: cursor, event_id: eventId } = data;
  if (typeof cursor !== 'string') return undefined;
  try {
    const replay = await api.get<Replay>(REPLAY, { symbol, replay_window_seconds: WINDOW_SECONDS, limit: 10, cursor });
    const last = replay.packets.at(-1);
    if (last === undefined) return `its window has no packet: ${cursor}`;
    const { pathname, searchParams } = new URL(last.route_refs.replay_window, 'http://service');
    const rows = await api.get<Rows>(pathname, Object.fromEntries(searchParams));
    const [from, to] = [replay.window_start_utc, replay.window_end_utc].map((utc) => timeOfDay(Date.parse(utc)));
    return [
      `window ${from} to ${to} reopened: ${counted(replay.packets.length, 'packet')}`,
      replay.lineage_verified ? 'their chain unbroken' : 'their chain BROKEN',
      last.event_id === eventId ? `the last one is ${eventId}` : `the last one is ${last.event_id}, NOT that of the message (${eventId})`,
      `made from ${counted(rows.completeness.rows_sent, 'row')}${rows.next_cursor === null ? '' : ' and more'}`,
    ].join(', ');
  } catch (error) {
    if (error instanceof RestRefusal || error instanceof CliError) return `its window could not be reopened: ${error.message}`;
    throw error;
  }
}
