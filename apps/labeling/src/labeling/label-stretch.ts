import type { EntryId, LogEntry } from '@market-state/event-log';
import { decodeEvent } from '@market-state/market-data';
import type { CheckpointRule } from '../checkpoints/checkpoint-rule';
import type { TimedPacket } from '../packets/packet';
import type { PacketSigner } from '../signing/packet-signer';
import type { Reducer } from './reducer';

/** What labelling entries needs. */
export interface StretchDeps {
  readonly reducer: Reducer;
  readonly rule: CheckpointRule;
  readonly signer: PacketSigner;
  /** Wall clock. Read around the labeler, never by it. */
  readonly clock: () => number;
}

/** Entries labelled without a stop. */
export interface Stretch {
  readonly packets: readonly TimedPacket[];
  /** The last entry labelled. */
  readonly position: EntryId;
  readonly entryTotal: number;
  /** When the last entry was received. */
  readonly knownTsMs: number;
  /** Entries after the one that closed the last packet; all of them when none did. */
  readonly entriesAfterPacket: number;
  /** The state as it is now belongs into a checkpoint. */
  readonly checkpointDue: boolean;
  /** Payload of its newest `connected` entry. */
  readonly connected: Uint8Array | undefined;
}

/** Labels entries up to the end, or up to one after which a checkpoint is due. `entries` must not be empty. */
export function labelStretch({ reducer, rule, signer, clock }: StretchDeps, entries: readonly LogEntry[], readMs: number): Stretch {
  const packets: TimedPacket[] = [];
  let position: EntryId = { epoch: 0, ordinal: 0 };
  let entryTotal = 0;
  let knownTsMs = 0;
  let entriesAfterPacket = 0;
  let checkpointDue = false;
  let connected: Uint8Array | undefined;
  for (const { payload, epoch, ordinal } of entries) {
    const event = decodeEvent(payload);
    const closed = reducer.reduce(event);
    if (event.kind === 'feed_status' && event.status.type === 'connected') connected = payload;
    position = { epoch, ordinal };
    entryTotal += 1;
    entriesAfterPacket = closed.length > 0 ? 0 : entriesAfterPacket + 1;
    knownTsMs = event.receivedTsMs;
    const sourceLagMs = Math.max(0, readMs - knownTsMs);
    for (const packet of closed) {
      packets.push({
        ...packet,
        generatedTsMs: clock(),
        sourceLagMs,
        signature: signer.sign(packet.packetDigest),
        closing: position,
        knownTsMs,
      });
    }
    checkpointDue = rule.isDue(closed);
    if (checkpointDue) break;
  }
  return { packets, position, entryTotal, knownTsMs, entriesAfterPacket, checkpointDue, connected };
}
