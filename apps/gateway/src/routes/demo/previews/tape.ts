import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { labeling } from '@market-state/contracts';
import { failedPrecondition, notFound } from '@market-state/errors';
import { WINDOW_MS } from '@market-state/market-data';
import { type TapeEntry, tapePacketOf } from '@market-state/packet-views';
import { fromProtoSourceKind } from '../../../clients/market-data-client';
import type { SourceKindName } from '../../../serving/meta/meta';
import { readRecord } from '../../../clients/packets/read-packet';
import type { PacketClient } from '../../../clients/packet-client';

/** Least and greatest age of the packets of the public tape. */
export const PUBLIC_DELAY_SECONDS = 600;
export const TAPE_AGE_SECONDS_MAX = 86_400;
export const PUBLIC_DELAY_MS = PUBLIC_DELAY_SECONDS * 1_000;
const TAPE_AGE_MS_MAX = TAPE_AGE_SECONDS_MAX * 1_000;

/** An answer made of packets may go out so long after they were read, milliseconds: none is past the greatest age then. */
const SERVED_FOR_MS_MAX = 60_000;

/** Packets of a symbol that are read at most: an hour of them. */
const TAPE_PACKETS_MAX = 360;

/** The one way by which a preview comes to packets. */
interface TapeReader {
  /** The newest packets of a symbol whose windows end at an instant or later, oldest first. */
  list(symbol: string, fromWindowEndMs: number): Promise<labeling.PacketRecord[]>;
  /** The packet of an event on the tape. @throws ServiceError `unknown_packet` for one that is not on it */
  packet(eventId: string): Promise<labeling.PacketRecord>;
  /** Whether a packet is on the tape now. */
  holds(packet: TapeTimes): boolean;
}

type TapeTimes = Pick<labeling.PacketRecord, 'windowEndMs' | 'knownTsMs'>;

/**
 * Reads packets that have been known for `delayMs` at least, and nothing older than a day. The neighbour is asked for no others, and what
 * it answers is held against both bounds here.
 */
export function createTapeReader(client: PacketClient, delayMs: number, now: () => number): TapeReader {
  const newestMs = (): number => now() - delayMs;
  /** Least start of a window. */
  const oldestMs = (): number => now() - TAPE_AGE_MS_MAX + SERVED_FOR_MS_MAX;

  function holds(packet: TapeTimes): boolean {
    return packet.knownTsMs <= newestMs() && packet.windowEndMs - WINDOW_MS >= oldestMs();
  }

  return {
    holds,
    async list(symbol, fromMs) {
      const found: labeling.PacketRecord[] = [];
      const span = {
        symbol,
        fromWindowEndMs: Math.max(fromMs, oldestMs() + WINDOW_MS),
        toWindowEndMs: newestMs() + 1,
        descending: true,
        asOfMs: newestMs(),
      };
      let pageToken = '';
      do {
        const page = await client.call.listPackets({ ...span, pageSize: TAPE_PACKETS_MAX - found.length, pageToken });
        found.push(...page.packets);
        pageToken = page.nextPageToken;
      } while (pageToken !== '' && found.length < TAPE_PACKETS_MAX);
      return found.filter(holds).reverse();
    },
    async packet(eventId) {
      const { packet } = await client.call.getPacket({ eventId, asOfMs: newestMs() });
      if (packet === undefined || !holds(packet)) throw notFound('unknown_packet', 'There is no event with this id.');
      return packet;
    },
  };
}

export function emptyTape(symbol: string, delayMs: number): Error {
  const age = delayMs === 0 ? '' : ` that is ${delayMs / 1_000} s old`;
  return failedPrecondition('no_packet_yet', `${symbol} has no packet yet${age}.`);
}

/** Packets that are taken up before other work gets its turn. */
const PACKETS_A_TURN = 10;

/** The packets of a symbol that previews are made from. */
export interface TapeView {
  /** Oldest first; the newest hour at most. */
  readonly entries: readonly TapeEntry[];
  readonly sourceKinds: readonly SourceKindName[];
}

interface Tape {
  read(symbol: string): Promise<TapeView>;
}

interface Kept {
  readonly entry: TapeEntry;
  readonly record: Pick<labeling.PacketRecord, 'windowEndMs' | 'knownTsMs' | 'lineageDigest'>;
  readonly sourceKind: SourceKindName;
}

function sha256(...parts: readonly Uint8Array[]): string {
  return parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
}

/**
 * Whether a packet's body has its digest, its digest its place in the chain, and the packet before, where it is known, the place before.
 */
function isLinked(record: labeling.PacketRecord, previousDigest: string, before: Kept | undefined): boolean {
  const linked = sha256(Buffer.from(previousDigest, 'hex'), Buffer.from(record.packetDigest, 'hex')) === record.lineageDigest;
  const follows = before === undefined || before.entry.sequence + 1 !== record.sequence || before.record.lineageDigest === previousDigest;
  return linked && follows && sha256(record.body) === record.packetDigest;
}

function keep(record: labeling.PacketRecord, before: Kept | undefined): Kept {
  const { packet } = readRecord(record).logged;
  const { windowEndMs, knownTsMs, lineageDigest, sequence, closingEpoch, closingOrdinal } = record;
  return {
    entry: {
      packet: tapePacketOf(packet),
      windowEndMs,
      sequence,
      observationId: closingOrdinal === 0 ? null : `${record.symbol}:${closingEpoch}-${closingOrdinal}`,
      verified: isLinked(record, packet.previous_lineage_digest, before),
    },
    record: { windowEndMs, knownTsMs, lineageDigest },
    sourceKind: fromProtoSourceKind(record.sourceKind),
  };
}

/** Keeps what the tape shows of the newest packets of each symbol, and reads only those that came since. */
export function createTape(reader: TapeReader): Tape {
  const keptOf = new Map<string, readonly Kept[]>();
  return {
    async read(symbol) {
      const known = keptOf.get(symbol) ?? [];
      const last = known.at(-1);
      const records = await reader.list(symbol, last === undefined ? 0 : last.record.windowEndMs + 1);
      const all = [...known];
      for (const record of records) {
        all.push(keep(record, all.at(-1)));
        if (all.length % PACKETS_A_TURN === 0) await setImmediate();
      }
      const kept = all.filter(({ record }) => reader.holds(record)).slice(-TAPE_PACKETS_MAX);
      keptOf.set(symbol, kept);
      return { entries: kept.map(({ entry }) => entry), sourceKinds: [...new Set(kept.map(({ sourceKind }) => sourceKind))] };
    },
  };
}
