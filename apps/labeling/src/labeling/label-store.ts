import type { EntryId } from '@market-state/event-log';
import type { Checkpoint } from '../checkpoints/checkpoint';
import type { StoredPacket, TimedPacket } from '../packets/packet';

/** The labeler's state after a log entry. */
interface SavedState {
  readonly id: EntryId;
  readonly state: Uint8Array;
  /** Payload of the newest `connected` entry up to there; undefined when none was seen. */
  readonly connected?: Uint8Array;
}

/** What is written in one transaction. */
export interface LabelCommit {
  readonly symbol: string;
  /** Every packet closed since the commit before, oldest first. */
  readonly packets: readonly TimedPacket[];
  /** The last log entry read. */
  readonly position: EntryId;
  /** The labeler's state after `position`, when it is time to save it. */
  readonly state?: Uint8Array;
  /** Payload of the newest `connected` entry labelled since the symbol was opened; kept with the state when that is saved. */
  readonly connected?: Uint8Array;
  /** The checkpoint that is due at `position`. */
  readonly checkpoint?: Checkpoint;
}

/** A packet that differs from the one already stored for its symbol and window. */
export interface RefusedPacket {
  readonly windowEndMs: number;
  readonly packetDigest: string;
  readonly storedPacketDigest: string;
}

/** A checkpoint that differs from the one already stored for its symbol and window. */
export interface RefusedCheckpoint {
  readonly windowEndMs: number;
  readonly stateDigest: string;
  readonly storedStateDigest: string;
}

export interface CommitResult {
  /** The commit's packets as they are stored now, whether by this commit or before it, oldest first. */
  readonly kept: readonly StoredPacket[];
  /** Those of `kept` that this commit stored. */
  readonly stored: readonly StoredPacket[];
  readonly refused: readonly RefusedPacket[];
  /** The commit's checkpoint when another one is stored for its window. */
  readonly refusedCheckpoint?: RefusedCheckpoint;
  /** Where a restart would go on; undefined as long as no state was saved. */
  readonly savedId?: EntryId;
}

/** Where packets, checkpoints and the labeler's state are kept. A commit repeated, or made by two labelers, changes nothing more. */
export interface LabelStore {
  loadState(symbol: string): Promise<SavedState | undefined>;
  newestWindowEndMs(symbol: string): Promise<number | undefined>;
  /** Never replaces a stored packet or checkpoint, and never moves position or state back. */
  commit(commit: LabelCommit): Promise<CommitResult>;
}
