import type { CheckpointHeader } from '../checkpoints/checkpoint';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import type { StoredPacket } from '../packets/packet';

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
