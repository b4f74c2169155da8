import type { labeling } from '@market-state/contracts';
import type { PacketClient } from '../../../clients/packet-client';

/** Checkpoints are looked for so far back, milliseconds, near first: there is one for each quarter of an hour in which the feed ran. */
const REACHES_MS = [2 * 3_600_000, Number.POSITIVE_INFINITY];
const PAGE_SIZE = 1_000;

/** The newest checkpoint before a packet and of its policy; null where none is kept. */
export async function checkpointBefore(
  { call }: PacketClient,
  { symbol, windowEndMs, policyDigest }: Pick<labeling.PacketRecord, 'symbol' | 'windowEndMs' | 'policyDigest'>,
): Promise<labeling.CheckpointHeader | null> {
  for (const reachMs of REACHES_MS) {
    const span = { symbol, fromWindowEndMs: Math.max(0, windowEndMs - reachMs), toWindowEndMs: windowEndMs };
    let newest: labeling.CheckpointHeader | undefined;
    let pageToken = '';
    do {
      const page = await call.listCheckpoints({ ...span, pageSize: PAGE_SIZE, pageToken });
      newest = page.checkpoints.findLast((header) => header.policyDigest === policyDigest) ?? newest;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    if (newest !== undefined) return newest;
  }
  return null;
}
