import type { EntryId } from '@market-state/event-log';
import type { SourceKind } from '@market-state/market-data';
import type { Packet } from '@market-state/labeler';
import { briefOf } from '@market-state/packet-views';

/** A function of log and policy only. */
export interface LabelledPacket {
  readonly symbol: string;
  /** A multiple of 10,000. */
  readonly windowEndMs: number;
  readonly packetId: string;
  readonly eventId: string;
  /** RFC 8785 JSON; `packetDigest` is the SHA-256 of its UTF-8 bytes. */
  readonly body: string;
  /** Lower-case hex, like every digest here. */
  readonly packetDigest: string;
  readonly lineageDigest: string;
  readonly inputDigest: string;
  readonly policyDigest: string;
  readonly headline: string;
  readonly customerNextStep: string;
  readonly sourceKind: SourceKind;
  readonly brief: string;
}

export interface PacketSignature {
  readonly bytes: Uint8Array;
  readonly keyId: string;
}

export interface TimedPacket extends LabelledPacket {
  readonly generatedTsMs: number;
  /** Wall clock at reading the closing tick minus `knownTsMs`, at least 0. */
  readonly sourceLagMs: number;
  readonly signature: PacketSignature | null;
  readonly closing: EntryId | null;
  /** Feed clock of that entry, from which the packet is known. */
  readonly knownTsMs: number;
}

export interface StoredPacket extends Omit<TimedPacket, 'brief'> {
  readonly sequence: number;
}

export interface StoredBrief extends Pick<StoredPacket, 'windowEndMs' | 'sequence' | 'lineageDigest'>, Pick<LabelledPacket, 'brief'> {}

export function briefOfBody(body: string): string {
  return JSON.stringify(briefOf(JSON.parse(body) as Packet));
}

/** Windows of one symbol, from inclusive, to exclusive; null is unbounded. */
export interface WindowSpan {
  readonly symbol: string;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface PacketSpan extends WindowSpan {
  readonly asOfMs: number | null;
  readonly newestFirst: boolean;
}

/** Remaining span after reading up to this window; null: nothing was read. */
export function remaining<T extends PacketSpan>(span: T, lastMs: number | null): T {
  if (lastMs === null) return span;
  return span.newestFirst ? { ...span, toMs: lastMs } : { ...span, fromMs: lastMs + 1 };
}

export interface PacketReader {
  newest(symbol: string): Promise<StoredPacket | undefined>;
  at(symbol: string, windowEndsMs: readonly number[]): Promise<StoredPacket[]>;
  find(eventId: string): Promise<StoredPacket | undefined>;
  list(span: PacketSpan, count: number): Promise<StoredPacket[]>;
  briefs(span: PacketSpan, count: number): Promise<StoredBrief[]>;
}
