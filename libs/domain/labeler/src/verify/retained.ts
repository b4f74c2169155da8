import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex, type HexDigest } from '../lineage/digests';
import type { CheckpointLine, PacketRow } from '../packet-row/lines';

/** Stored packet to verify. Null for values that its storage does not provide. */
export interface RetainedPacket {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly packetId: string;
  readonly eventId: string;
  readonly inputDigest: HexDigest;
  readonly policyDigest: HexDigest;
  readonly previousLineageDigest: HexDigest | null;
  readonly packetDigest: HexDigest;
  readonly lineageDigest: HexDigest;
  /** `live`, `recorded`, `simulated`, or another value from its storage. */
  readonly sourceKind: string;
  readonly closingOrdinal: number | null;
  readonly headline: string;
  readonly customerNextStep: string;
  readonly signature: string | null;
  readonly signingKeyId: string | null;
  /** SHA-256 computed from the stored body. */
  readonly bodyDigest: HexDigest;
  /** JSON; called only for a packet that differs. */
  readBody(): Promise<string>;
}

export type RetainedCheckpoint = Omit<CheckpointLine, 'schema' | 'state'>;

/** `readBody` reads the body again; without it, the row stays in memory. */
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
