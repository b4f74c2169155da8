import type { CheckpointHeader } from '../checkpoints/checkpoint';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import type { StoredPacket } from '../packets/packet';

/** Checkpoints are looked for so far back, milliseconds, near first: there is one for each quarter of an hour in which the feed ran. */
const REACHES_MS = [2 * 3_600_000, 48 * 3_600_000, Number.POSITIVE_INFINITY];
/** More than the hours of any span that is looked through at once. */
const COUNT_MAX = 100_000;

/** The newest checkpoint before a packet and of its policy; null where none is kept. */
export async function newestCheckpointBefore(
  checkpoints: Pick<CheckpointReader, 'list'>,
  { symbol, windowEndMs, policyDigest }: StoredPacket,
): Promise<CheckpointHeader | null> {
  for (const reachMs of REACHES_MS) {
    const fromMs = Math.max(0, windowEndMs - reachMs);
    const headers = await checkpoints.list({ symbol, fromMs, toMs: windowEndMs }, COUNT_MAX);
    const newest = headers.findLast((header) => header.policyDigest === policyDigest);
    if (newest !== undefined) return newest;
  }
  return null;
}
