import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EntryId } from '@market-state/event-log';
import { sha256Hex } from '@market-state/labeler';
import type { StoredPacket, LabelledPacket, WindowSpan } from '../packets/packet';

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
