import type { EntryId } from '@market-state/event-log';
import type { Checkpoint } from '../checkpoints/checkpoint';
import type { StoredPacket, TimedPacket } from '../packets/packet';

interface SavedState {
  readonly id: EntryId;
  readonly state: Uint8Array;
  readonly connected?: Uint8Array;
}

export interface LabelCommit {
  readonly symbol: string;
  /** Packets closed since the previous commit, oldest first. */
  readonly packets: readonly TimedPacket[];
  readonly position: EntryId;
  readonly state?: Uint8Array;
  readonly connected?: Uint8Array;
  readonly checkpoint?: Checkpoint;
}

export interface RefusedPacket {
  readonly windowEndMs: number;
  readonly packetDigest: string;
  readonly storedPacketDigest: string;
}

export interface RefusedCheckpoint {
  readonly windowEndMs: number;
  readonly stateDigest: string;
  readonly storedStateDigest: string;
}

export interface CommitResult {
  /** The commit's packets as stored, by this commit or an earlier one, oldest first. */
  readonly kept: readonly StoredPacket[];
  /** Subset of `kept` stored by this commit. */
  readonly stored: readonly StoredPacket[];
  readonly refused: readonly RefusedPacket[];
  readonly refusedCheckpoint?: RefusedCheckpoint;
  /** Restart position; undefined until a state is saved. */
  readonly savedId?: EntryId;
}

/** Commits are idempotent, also across labelers. */
export interface LabelStore {
  loadState(symbol: string): Promise<SavedState | undefined>;
  newestWindowEndMs(symbol: string): Promise<number | undefined>;
  /** Never replaces a stored packet or checkpoint, and never moves position or state back. */
  commit(commit: LabelCommit): Promise<CommitResult>;
}
