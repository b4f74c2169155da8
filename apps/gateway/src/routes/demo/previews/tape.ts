import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { labeling } from '@market-state/contracts';
import { type TapeEntry, tapePacketOf } from '@market-state/packet-views';
import { fromProtoSourceKind } from '../../../clients/source-kind';
import type { SourceKindName } from '../../../serving/meta/meta';
import { readRecord } from '../../../clients/packets/read-packet';
import { TAPE_PACKETS_MAX, type TapeReader } from './tape-reader';

/** Packets that are taken up before other work gets its turn. */
const PACKETS_A_TURN = 10;

/** The packets of a symbol that previews are made from. */
export interface TapeView {
  /** Oldest first; the newest hour at most. */
  readonly entries: readonly TapeEntry[];
  readonly sourceKinds: readonly SourceKindName[];
}

export interface Tape {
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
