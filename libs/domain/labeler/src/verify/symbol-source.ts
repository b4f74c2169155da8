import type { MarketEvent } from '@market-state/market-data';
import { canonicalJson, sha256Hex, type HexDigest } from '../lineage';
import type { CheckpointLine, PacketRow } from '../packet-row/lines';

/** One sentence per line. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  /**
   * @param reason `unusable`: faulty; `foreign`: a line of an unknown schema; `incomplete`: something required is
   * missing
   */
  constructor(
    readonly reason: 'unusable' | 'foreign' | 'incomplete',
    readonly lines: readonly string[],
  ) {
    super(lines.join('\n'));
  }
}

export function unusable(...lines: readonly string[]): SourceError {
  return new SourceError('unusable', lines);
}

/** T of the packets to compare: from inclusive, to exclusive. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export function refuseEmptySpan(symbol: string, { fromMs, toMs }: Span, newestRetainedMs: number): void {
  if (fromMs >= toMs)
    throw unusable(`${symbol}: the span starts after the newest packet, which ends at ${new Date(newestRetainedMs).toISOString()}`);
}

/** Stored entry that differs from its columns, from which rows and candles are served. */
export interface AlteredRow {
  readonly ordinal: number;
  readonly windowEndMs: number;
}

export interface SymbolSource {
  readonly symbol: string;
  readonly span: Span;
  readonly newestRetainedMs: number;
  /** Number of newest packets that may precede their entries. */
  readonly awaitingMax: number;
  readonly checkpoints: readonly RetainedCheckpoint[];
  /** True if the entries after this ordinal are available; 0: from the start of the log. */
  reaches(afterOrdinal: number): boolean;
  /** Stored bytes: gzip, unless altered. */
  stateGzip(checkpoint: RetainedCheckpoint): Promise<Uint8Array>;
  /** In window order; empty for an empty span. */
  packets(span: Span): AsyncIterable<RetainedPacket>;
  entries(afterOrdinal: number): AsyncIterable<readonly MarketEvent[]>;
  /** Found so far while reading entries, in log order. */
  readonly altered: readonly AlteredRow[];
}

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
