import { hourOf } from '../store/archive-files';
import type { StoredPacket } from '../packets/packet';
import type { PacketReader } from '../packets/packet-reader';
import type { EventFilter, EventOrder, EventPlace, EventRecord } from './event';
import type { EventIndex } from './event-index';
import { toEventToken } from './event-token';
import { findWords, type FoundWord } from './words';

/** Bodies of one page: an answer stays well under what one message may hold. */
const PAGE_BYTES_MAX = 2 * 1_024 * 1_024;
/** Packets read at once. */
const READ_COUNT_MAX = 20;
/** Hours of symbols whose packets one page may hold: each may be a file of the archive. */
const PAGE_HOURS_MAX = 24;

export interface FoundEvent {
  readonly packet: StoredPacket;
  readonly words: readonly FoundWord[];
}

export interface FoundPage {
  readonly events: readonly FoundEvent[];
  /** Empty at the end. */
  readonly nextPageToken: string;
}

export interface SearchDeps {
  readonly events: Pick<EventIndex, 'list'>;
  readonly reader: Pick<PacketReader, 'at'>;
}

/** Up to `pageSize` packets that meet the filter, beyond a place in an order; fewer, but at least one, where a page is full before. */
export async function searchEvents(
  { events, reader }: SearchDeps,
  filter: EventFilter,
  order: EventOrder,
  beyond: EventPlace | null,
  pageSize: number,
): Promise<FoundPage> {
  const listed = await events.list(filter, order, beyond, pageSize + 1);
  const wanted = withinHours(listed.slice(0, pageSize));
  const found: FoundEvent[] = [];
  let sizeBytes = 0;
  let last: EventRecord | undefined;
  for (let from = 0; from < wanted.length; from += READ_COUNT_MAX) {
    const part = wanted.slice(from, from + READ_COUNT_MAX);
    const packets = await packetsOf(reader, part);
    for (const event of part) {
      const packet = packets.get(event.eventId);
      sizeBytes += packet === undefined ? 0 : Buffer.byteLength(packet.body);
      if (found.length > 0 && last !== undefined && sizeBytes > PAGE_BYTES_MAX)
        return { events: found, nextPageToken: toEventToken(filter, last) };
      // One that is not there has ended with its archive days since the index was read.
      if (packet !== undefined) found.push({ packet, words: findWords(filter.words, packet.body) });
      last = event;
    }
  }
  const isLast = last === undefined || wanted.length === listed.length;
  return { events: found, nextPageToken: isLast ? '' : toEventToken(filter, last as EventRecord) };
}

function withinHours(events: readonly EventRecord[]): readonly EventRecord[] {
  const hours = new Set<string>();
  const end = events.findIndex(({ symbol, windowEndMs }) => hours.add(`${symbol} ${hourOf(windowEndMs)}`).size > PAGE_HOURS_MAX);
  return end < 0 ? events : events.slice(0, end);
}

async function packetsOf(reader: SearchDeps['reader'], events: readonly EventRecord[]): Promise<Map<string, StoredPacket>> {
  const windowsOf = (wanted: string): number[] => events.flatMap(({ symbol, windowEndMs }) => (symbol === wanted ? [windowEndMs] : []));
  const symbols = [...new Set(events.map(({ symbol }) => symbol))];
  const read = await Promise.all(symbols.map((symbol) => reader.at(symbol, windowsOf(symbol))));
  return new Map(read.flat().map((packet) => [packet.eventId, packet]));
}
