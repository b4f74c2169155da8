import { CliError } from '../cli-error';
import { counted } from '../io/instant';
import { type RestApi, RestRefusal } from '../io/rest-api';
import { type Message, timeOfDay } from './message';

interface Replay {
  readonly packets: readonly { readonly event_id: string }[];
  readonly window_start_utc: string;
  readonly window_end_utc: string;
  readonly lineage_verified: boolean;
  readonly next_cursor: string | null;
}

interface Rows {
  readonly completeness: { readonly rows_sent: number };
  readonly next_cursor: string | null;
}

/**
 * What the routes of a message open, in a sentence: the packets up to its own, by its replay cursor, and the rows that this was made
 * from. Undefined for a message without them.
 */
export async function reopenWindow(api: RestApi, { data: { routes, event_id: eventId } }: Message): Promise<string | undefined> {
  if (routes === undefined) return undefined;
  try {
    const [replay, rows] = [await replayOf(api, routes.replay), await getRoute<Rows>(api, routes.replay_window)];
    const last = replay.packets.at(-1);
    if (last === undefined) return `its window has no packet: ${routes.replay}`;
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

/** A replay with its further pages. */
async function replayOf(api: RestApi, route: string): Promise<Replay> {
  const pages = [await getRoute<Replay>(api, route)];
  for (let next = pages[0]?.next_cursor ?? null; next !== null; next = pages.at(-1)?.next_cursor ?? null)
    pages.push(await getRoute<Replay>(api, route, { cursor: next }));
  const [first] = pages as [Replay];
  return { ...first, packets: pages.flatMap(({ packets }) => packets), lineage_verified: pages.every((page) => page.lineage_verified) };
}

function getRoute<T>(api: RestApi, route: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const { pathname, searchParams } = new URL(route, 'http://service');
  return api.get<T>(pathname, { ...Object.fromEntries(searchParams), ...query });
}
