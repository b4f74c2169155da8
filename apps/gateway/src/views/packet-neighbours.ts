import type { labeling } from '@market-state/contracts';
import type { LoggedPacket } from '@market-state/packet-views';
import type { PacketClient } from '../clients/packet-client';
import { readRecord } from './read-packet';

type Span = Pick<labeling.ListPacketsRequest, 'symbol' | 'fromWindowEndMs' | 'toWindowEndMs' | 'descending' | 'asOfMs'>;

/** What of a span lies beyond its packet of a window. */
function beyond(span: Span, windowEndMs: number): Span {
  return span.descending ? { ...span, toWindowEndMs: windowEndMs } : { ...span, fromWindowEndMs: windowEndMs + 1 };
}

/**
 * The first packets of a span, in its order. Answers hold fewer than asked for where packets are large. What follows is asked for by its
 * windows: a token would hold on to an instant that moves on for a sandbox key.
 */
async function firstOf(client: PacketClient, span: Span, total: number): Promise<LoggedPacket[]> {
  const found: LoggedPacket[] = [];
  let rest: Span | null = span;
  while (rest !== null && found.length < total) {
    const page: labeling.ListPacketsResponse = await client.call.listPackets({ ...rest, pageSize: total - found.length, pageToken: '' });
    const last = page.packets.at(-1);
    found.push(...page.packets.map((record) => readRecord(record).logged));
    rest = page.nextPageToken === '' || last === undefined ? null : beyond(rest, last.windowEndMs);
  }
  return found;
}

/** How many packets on each side of a packet are wanted. */
export interface Reach {
  readonly before: number;
  readonly after: number;
}

/** A packet's place in its symbol's log, and the instant as of which its neighbours are read (0: now). */
export interface Place {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly asOfMs: number;
}

/** The packets on each side of a packet, oldest first; fewer where there are no more. */
export async function readNeighbours(client: PacketClient, { symbol, windowEndMs, asOfMs }: Place, reach: Reach): Promise<{ readonly before: LoggedPacket[]; readonly after: LoggedPacket[] }> {
  const [before, after] = await Promise.all([
    firstOf(client, { symbol, asOfMs, fromWindowEndMs: 0, toWindowEndMs: windowEndMs, descending: true }, reach.before),
    firstOf(client, { symbol, asOfMs, fromWindowEndMs: windowEndMs + 1, toWindowEndMs: 0, descending: false }, reach.after),
  ]);
  return { before: before.reverse(), after };
}
