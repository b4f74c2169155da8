import { sha256Hex } from '@market-state/labeler';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { hourOf } from '../store/archive-files';
import type { StoredPacket, PacketReader } from '../packets/packet';
import type { EventFilter, EventOrder, EventPosition, EventRecord, EventIndex } from './event-index';

/** Keeps a response far below the message size limit. */
const PAGE_BYTES_MAX = 2 * 1_024 * 1_024;

const READ_COUNT_MAX = 20;

/** Maximum symbol hours per page: each may be an archive file. */
const PAGE_HOURS_MAX = 24;

interface FoundEvent {
  readonly packet: StoredPacket;
  readonly words: readonly FoundWord[];
}

interface FoundPage {
  readonly events: readonly FoundEvent[];
  readonly nextPageToken: string;
}

export interface SearchDeps {
  readonly events: Pick<EventIndex, 'list'>;
  readonly reader: Pick<PacketReader, 'at'>;
}

/** Up to `pageSize` matching packets; fewer, but at least one, if a page limit is reached. */
export async function searchEvents(
  { events, reader }: SearchDeps,
  filter: EventFilter,
  order: EventOrder,
  beyond: EventPosition | null,
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
      // A missing packet was deleted from the archive after the index was read.
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

/**
 * Words of a text as indexed: runs of letters and digits in lower case, without numbers. Must match the database
 * function `event_facts`.
 */
function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => /[a-z]/.test(word)),
  );
}

interface FoundWord {
  readonly word: string;
  readonly inState: boolean;
  readonly tags: readonly string[];
  readonly reasons: readonly string[];
}

interface Searched {
  readonly state: string;
  readonly tags: readonly string[];
  readonly reason_details: readonly { readonly claim: string }[];
}

function findWords(words: readonly string[], body: string): FoundWord[] {
  if (words.length === 0) return [];
  const { state, tags, reason_details: reasons } = JSON.parse(body) as Searched;
  const withWords = (text: string) => ({ text, held: wordsOf(text) });
  const fields = { state: wordsOf(state), tags: tags.map(withWords), reasons: reasons.map(({ claim }) => withWords(claim)) };
  const holding = (texts: typeof fields.tags, word: string): string[] => texts.filter(({ held }) => held.has(word)).map(({ text }) => text);
  return words.map((word) => ({
    word,
    inState: fields.state.has(word),
    tags: holding(fields.tags, word),
    reasons: holding(fields.reasons, word),
  }));
}

const TOKEN = z.tuple([z.literal('e1'), z.string(), z.int(), z.string()]);

/** Position after a page's last event. Valid only with the same filter. */
export function toEventToken(filter: EventFilter, { windowEndMs, symbol }: EventPosition): string {
  return writeToken(['e1', digestOf(filter), windowEndMs, symbol]);
}

export function fromEventToken(filter: EventFilter, token: string): EventPosition | undefined {
  const values = readToken(TOKEN, token);
  if (values === undefined || values[1] !== digestOf(filter)) return undefined;
  const [, , windowEndMs, symbol] = values;
  return { windowEndMs, symbol };
}

function digestOf({ symbol, fromMs, toMs, asOfMs, words, tags, values }: EventFilter): string {
  const { state, event_class, event_profile, severity_class } = values;
  return sha256Hex(JSON.stringify([symbol, fromMs, toMs, asOfMs, words, tags, state, event_class, event_profile, severity_class])).slice(
    0,
    16,
  );
}
