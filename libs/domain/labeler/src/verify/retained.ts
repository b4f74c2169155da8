import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex, type HexDigest } from '../lineage/digests';
import type { CheckpointLine } from '../packet-row/checkpoint-line';
import type { PacketRow } from '../packet-row/packet-row';

/** A packet as somebody keeps it: what is to be proved. Null stands for what its keeper does not tell. */
export interface RetainedPacket {
  readonly symbol: string;
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  readonly packetId: string;
  readonly eventId: string;
  readonly inputDigest: HexDigest;
  readonly policyDigest: HexDigest;
  readonly previousLineageDigest: HexDigest | null;
  /** As it stands on the row. */
  readonly packetDigest: HexDigest;
  readonly lineageDigest: HexDigest;
  /** `live`, `recorded`, `simulated`, or whatever its keeper says instead. */
  readonly sourceKind: string;
  readonly closingOrdinal: number | null;
  readonly headline: string;
  readonly customerNextStep: string;
  /** Base64; null where the packet is not signed. */
  readonly signature: string | null;
  readonly signingKeyId: string | null;
  /** SHA-256 of the body that is kept, worked out from it. */
  readonly bodyDigest: HexDigest;
  /** The body that is kept, JSON. Asked for only where a packet differs. */
  readBody(): Promise<string>;
}

/** What is known of a checkpoint without its state. */
export type RetainedCheckpoint = Omit<CheckpointLine, 'schema' | 'state'>;

/** The row as a retained packet. `readBody` gives the body again; without it, the row is held for that. */
export function retainedPacketOf(row: PacketRow, readBody?: () => Promise<string>): RetainedPacket {
  const body = canonicalJson(row.packet);
  return {
    symbol: row.symbol,
    windowEndMs: row.window_end_ms,
    packetId: row.packet_id,
    eventId: row.event_id,
    inputDigest: row.input_digest,
    policyDigest: row.policy_digest,
    previousLineageDigest: row.previous_lineage_digest,
    packetDigest: row.packet_digest,
    lineageDigest: row.lineage_digest,
    sourceKind: row.source_kind,
    closingOrdinal: row.closing_ordinal,
    headline: row.headline,
    customerNextStep: row.customer_next_step,
    signature: row.signature,
    signingKeyId: row.signing_key_id,
    bodyDigest: sha256Hex(body),
    readBody: readBody ?? (() => Promise.resolve(body)),
  };
}
