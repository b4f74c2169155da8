import { setImmediate } from 'node:timers/promises';
import type { labeling } from '@market-state/contracts';
import { failedPrecondition, notFound } from '@market-state/errors';
import { lineageDigest, sha256Hex } from '@market-state/labeler';
import { WINDOW_MS } from '@market-state/market-data';
import { type TapeEntry, tapePacketOf } from '@market-state/packet-views';
import { fromProtoSourceKind } from '../../../clients/market-data-client';
import type { SourceKindName } from '../../../serving/meta/meta';
import { readRecord } from '../../../clients/packets/read-packet';
import type { PacketClient } from '../../../clients/packet-client';

/** Minimum and maximum age of packets on the public tape. */
export const PUBLIC_DELAY_SECONDS = 600;
export const TAPE_AGE_SECONDS_MAX = 86_400;
export const PUBLIC_DELAY_MS = PUBLIC_DELAY_SECONDS * 1_000;
const TAPE_AGE_MS_MAX = TAPE_AGE_SECONDS_MAX * 1_000;

/** Reserved so that no packet exceeds the maximum age when served. */
const SERVED_FOR_MS_MAX = 60_000;

/** Maximum packets read per symbol: one hour. */
const TAPE_PACKETS_MAX = 360;

/** The only access of previews to packets. */
interface TapeReader {
  /** Newest packets with a window end at or after the instant, oldest first. */
  list(symbol: string, fromWindowEndMs: number): Promise<labeling.PacketRecord[]>;
  /** @throws ServiceError `unknown_packet` if the packet is not on the tape */
  packet(eventId: string): Promise<labeling.PacketRecord>;
  /** True if the packet is on the tape now. */
  holds(packet: TapeTimes): boolean;
}

type TapeTimes = Pick<labeling.PacketRecord, 'windowEndMs' | 'knownTsMs'>;

/** Packets known for at least `delayMs`, at most a day old. Request and check of the response both apply the bounds. */
export function createTapeReader(client: PacketClient, delayMs: number, now: () => number): TapeReader {
  const newestMs = (): number => now() - delayMs;
  /** Earliest window start. */
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
      if (packet === undefined || !holds(packet)) throw notFound('unknown_packet', 'No event has this id.');
      return packet;
    },
  };
}

export function emptyTape(symbol: string, delayMs: number): Error {
  const age = delayMs === 0 ? '' : ` that is at least ${delayMs / 1_000} s old`;
  return failedPrecondition('no_packet_yet', `${symbol} has no packet yet${age}.`);
}

/** Packets processed before yielding to the event loop. */
const PACKETS_A_TURN = 10;

export interface TapeView {
  /** Oldest first; at most the newest hour. */
  readonly entries: readonly TapeEntry[];
  readonly sourceKinds: readonly SourceKindName[];
}

interface Tape {
  read(symbol: string): Promise<TapeView>;
}

interface CachedPreview {
  readonly entry: TapeEntry;
  readonly record: Pick<labeling.PacketRecord, 'windowEndMs' | 'knownTsMs' | 'lineageDigest'>;
  readonly sourceKind: SourceKindName;
}

function isLinked(record: labeling.PacketRecord, previousDigest: string, before: CachedPreview | undefined): boolean {
  const linked = lineageDigest(previousDigest, record.packetDigest) === record.lineageDigest;
  const follows = before === undefined || before.entry.sequence + 1 !== record.sequence || before.record.lineageDigest === previousDigest;
  return linked && follows && sha256Hex(record.body) === record.packetDigest;
}

function keep(record: labeling.PacketRecord, before: CachedPreview | undefined): CachedPreview {
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

/** Caches each symbol's tape entries and reads only newer packets. */
export function createTape(reader: TapeReader): Tape {
  const keptOf = new Map<string, readonly CachedPreview[]>();
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
