import type { EntryId } from '@market-state/event-log';
import type { SourceKind } from '@market-state/market-data';
import type { Packet } from '@market-state/labeler';
import { briefOf } from '@market-state/packet-views';

/** A packet as the labeler closed it: a function of the log and the policy alone. */
export interface LabelledPacket {
  readonly symbol: string;
  /** T, a multiple of 10,000, milliseconds since the epoch. */
  readonly windowEndMs: number;
  readonly packetId: string;
  readonly eventId: string;
  /** RFC 8785 JSON; `packetDigest` is the SHA-256 of its UTF-8 bytes. */
  readonly body: string;
  /** 64 lower-case hex characters, as every digest here. */
  readonly packetDigest: string;
  readonly lineageDigest: string;
  readonly inputDigest: string;
  readonly policyDigest: string;
  readonly headline: string;
  readonly customerNextStep: string;
  readonly sourceKind: SourceKind;
  /** What views of other packets read of it, JSON. */
  readonly brief: string;
}

/** Who made a packet: an Ed25519 signature over the 32 bytes of its digest. */
export interface PacketSignature {
  /** 64 bytes. */
  readonly bytes: Uint8Array;
  readonly keyId: string;
}

/** A packet and what was added at its making: wall clock and signature. */
export interface TimedPacket extends LabelledPacket {
  /** Milliseconds since the epoch. */
  readonly generatedTsMs: number;
  /** Wall clock when the closing tick was read minus `knownTsMs`, at least 0. */
  readonly sourceLagMs: number;
  /** Null where packets are not signed. */
  readonly signature: PacketSignature | null;
  /** The entry of the log that closed the window; null where it was stored without. */
  readonly closing: EntryId | null;
  /** Feed clock of that entry, milliseconds since the epoch: the packet is known from then. */
  readonly knownTsMs: number;
}

/** A packet as it is retained. */
export interface StoredPacket extends Omit<TimedPacket, 'brief'> {
  /** Place in the symbol's packet log, rising by 1 from 1. */
  readonly sequence: number;
}

/** A retained packet in brief. */
export interface StoredBrief extends Pick<StoredPacket, 'windowEndMs' | 'sequence' | 'lineageDigest'>, Pick<LabelledPacket, 'brief'> {}

/** The brief of a packet of which the body is kept. */
export function briefOfBody(body: string): string {
  return JSON.stringify(briefOf(JSON.parse(body) as Packet));
}
