import { type MarketState, type Params, ProblemError, TransportError } from '@market-state/client';
import { operationAt } from '@market-state/client/operations';
import { counted } from '../io/instant';
import { type Message, timeOfDay } from './judge';

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
 * One sentence on the window that the routes of a message open: packets up to its own, by replay cursor, and the rows
 * it was made from. Undefined for messages without routes.
 */
export async function reopenWindow(ms: MarketState, { data: { routes, event_id: eventId } }: Message): Promise<string | undefined> {
  if (routes === undefined) return undefined;
  try {
    const [replay, rows] = [await replayOf(ms, routes.replay), await getRoute<Rows>(ms, routes.replay_window)];
    const last = replay.packets.at(-1);
    if (last === undefined) return `no packets in its window: ${routes.replay}`;
    const [from, to] = [replay.window_start_utc, replay.window_end_utc].map((utc) => timeOfDay(Date.parse(utc)));
    return [
      `window ${from} to ${to} reopened: ${counted(replay.packets.length, 'packet')}`,
      replay.lineage_verified ? 'chain intact' : 'chain BROKEN',
      last.event_id === eventId
        ? `the last one is ${eventId}`
        : `the last one is ${last.event_id}, NOT the one in the message (${eventId})`,
      `made from ${counted(rows.completeness.rows_sent, 'row')}${rows.next_cursor === null ? '' : ' and more'}`,
    ].join(', ');
  } catch (error) {
    if (error instanceof ProblemError || error instanceof TransportError) return `could not reopen its window: ${error.message}`;
    throw error;
  }
}

async function replayOf(ms: MarketState, route: string): Promise<Replay> {
  const pages = [await getRoute<Replay>(ms, route)];
  for (let next = pages[0]?.next_cursor ?? null; next !== null; next = pages.at(-1)?.next_cursor ?? null)
    pages.push(await getRoute<Replay>(ms, route, { cursor: next }));
  const [first] = pages as [Replay];
  return { ...first, packets: pages.flatMap(({ packets }) => packets), lineage_verified: pages.every((page) => page.lineage_verified) };
}

async function getRoute<T>(ms: MarketState, route: string, further: Readonly<Record<string, string>> = {}): Promise<T> {
  const found = operationAt('GET', route);
  if (found === null) throw new TransportError(`unknown route ${route}`, '', 0);
  const { data } = await ms.call(found.id as 'replayPackets', { ...found.params, ...further } as Params<'replayPackets'>);
  return data as T;
}
