import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EntryId } from '@market-state/event-log';
import { sha256Hex } from '@market-state/labeler';
import type { StoredPacket, TimedPacket, LabelledPacket, WindowSpan } from '../packets/packet';

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

export interface CheckpointHeader {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly epoch: number;
  readonly ordinal: number;
  readonly lineageDigest: string;
  readonly policyDigest: string;
  /** SHA-256 of the uncompressed state. */
  readonly stateDigest: string;
}

export interface Checkpoint extends CheckpointHeader {
  readonly stateGzip: Uint8Array;
}

export interface CheckpointReader {
  list(span: WindowSpan, count: number): Promise<CheckpointHeader[]>;
  find(symbol: string, windowEndMs: number): Promise<Checkpoint | undefined>;
}

/**
 * Recomputing a packet replays the log from the previous checkpoint: seconds for an hour, a fraction of one for a
 * quarter.
 */
const QUARTER_HOUR_MS = 900_000;

export interface CheckpointRule {
  isDue(closed: readonly Pick<LabelledPacket, 'windowEndMs'>[]): boolean;
}

/**
 * Due when an entry closes a window at a quarter of an hour of exchange time. A new chain that takes over after
 * `silentUntilMs` (0: an existing chain) also has one at its first packet, because earlier log entries led to other
 * packets.
 */
export function createCheckpointRule(silentUntilMs: number): CheckpointRule {
  let isFirst = silentUntilMs > 0;
  return {
    isDue(closed) {
      const newest = closed.at(-1);
      if (newest === undefined || newest.windowEndMs <= silentUntilMs) return false;
      const due = isFirst || closed.some(({ windowEndMs }) => windowEndMs % QUARTER_HOUR_MS === 0);
      isFirst = false;
      return due;
    },
  };
}

const gzipAsync = promisify(gzip);

interface CheckpointState extends Pick<LabelledPacket, 'symbol' | 'windowEndMs' | 'lineageDigest' | 'policyDigest'> {
  readonly id: EntryId;
  readonly state: Uint8Array;
}

export async function toCheckpoint({ state, symbol, windowEndMs, lineageDigest, policyDigest, id }: CheckpointState): Promise<Checkpoint> {
  const { epoch, ordinal } = id;
  return {
    symbol,
    windowEndMs,
    epoch,
    ordinal,
    lineageDigest,
    policyDigest,
    stateDigest: sha256Hex(state),
    stateGzip: await gzipAsync(state),
  };
}

/** Lookback ranges, nearest first: there is one checkpoint per quarter of an hour of feed time. */
const REACHES_MS = [2 * 3_600_000, 48 * 3_600_000, Number.POSITIVE_INFINITY];

const COUNT_MAX = 100_000;

export async function* checkpointsBefore(
  checkpoints: Pick<CheckpointReader, 'list'>,
  symbol: string,
  beforeMs: number,
): AsyncGenerator<CheckpointHeader> {
  let toMs = beforeMs;
  for (const reachMs of REACHES_MS) {
    const fromMs = Math.max(0, beforeMs - reachMs);
    if (fromMs < toMs) yield* (await checkpoints.list({ symbol, fromMs, toMs }, COUNT_MAX)).reverse();
    toMs = fromMs;
  }
}

/** Newest checkpoint before a packet and of its policy; null if there is none. */
export async function newestCheckpointBefore(
  checkpoints: Pick<CheckpointReader, 'list'>,
  { symbol, windowEndMs, policyDigest }: StoredPacket,
): Promise<CheckpointHeader | null> {
  for await (const header of checkpointsBefore(checkpoints, symbol, windowEndMs)) if (header.policyDigest === policyDigest) return header;
  return null;
}
