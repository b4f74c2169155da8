import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EntryId } from '@market-state/event-log';
import { sha256Hex } from '@market-state/labeler';
import type { StoredPacket, LabelledPacket } from '../packets/packet';
import type { WindowSpan } from '../packets/packet-reader';

/** Where re-deriving a symbol's packets may begin: what stands around the labeler's state after one log entry. */
export interface CheckpointHeader {
  readonly symbol: string;
  /** T of the newest packet of the state, milliseconds since the epoch. */
  readonly windowEndMs: number;
  /** The last log entry that the state has taken. */
  readonly epoch: number;
  readonly ordinal: number;
  /** Of the packet at `windowEndMs`. */
  readonly lineageDigest: string;
  readonly policyDigest: string;
  /** SHA-256 of the state's bytes before they are packed. */
  readonly stateDigest: string;
}

export interface Checkpoint extends CheckpointHeader {
  /** The whole state as the labeler's serializer wrote it, gzip. */
  readonly stateGzip: Uint8Array;
}

/** Reads stored checkpoints. */
export interface CheckpointReader {
  /** The first headers of the span, at most `count`, oldest first. */
  list(span: WindowSpan, count: number): Promise<CheckpointHeader[]>;
  find(symbol: string, windowEndMs: number): Promise<Checkpoint | undefined>;
}

/** Making a packet again takes the log since the checkpoint before it: seconds from an hour, a fraction of one from a quarter. */
const QUARTER_HOUR_MS = 900_000;

/** Says after which log entries a checkpoint is due. */
export interface CheckpointRule {
  /** Whether one is due after the entry that closed these windows, oldest first. */
  isDue(closed: readonly Pick<LabelledPacket, 'windowEndMs'>[]): boolean;
}

/**
 * Due when an entry closes a window at a whole quarter of an hour of exchange time. A chain that takes over after the window
 * `silentUntilMs` (0: one that goes on) has one at its first packet too: what was logged before led to other packets.
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

/** The state that a checkpoint is made of, as it was right after one log entry. */
interface CheckpointState extends Pick<LabelledPacket, 'symbol' | 'windowEndMs' | 'lineageDigest' | 'policyDigest'> {
  readonly id: EntryId;
  /** The whole state, as its serializer wrote it. */
  readonly state: Uint8Array;
}

/** The checkpoint of a state: packed beside the process's other work. */
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

/** Checkpoints are looked for so far back, milliseconds, near first: there is one for each quarter of an hour in which the feed ran. */
const REACHES_MS = [2 * 3_600_000, 48 * 3_600_000, Number.POSITIVE_INFINITY];

/** More than the hours of any span that is looked through at once. */
const COUNT_MAX = 100_000;

/** Headers of the checkpoints of windows before an instant, newest first. */
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

/** The newest checkpoint before a packet and of its policy; null where none is kept. */
export async function newestCheckpointBefore(
  checkpoints: Pick<CheckpointReader, 'list'>,
  { symbol, windowEndMs, policyDigest }: StoredPacket,
): Promise<CheckpointHeader | null> {
  for await (const header of checkpointsBefore(checkpoints, symbol, windowEndMs)) if (header.policyDigest === policyDigest) return header;
  return null;
}
