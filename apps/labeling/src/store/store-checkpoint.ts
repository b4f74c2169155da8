import type { PoolClient } from 'pg';
import type { Checkpoint } from '../checkpoints/checkpoint';
import type { RefusedCheckpoint } from '../labeling/label-store';

/**
 * Stores a checkpoint in the open transaction, which holds the symbol, unless one is stored for its window.
 * @returns how it differs from the stored one, where it does
 */
export async function storeCheckpoint(client: PoolClient, checkpoint: Checkpoint): Promise<RefusedCheckpoint | undefined> {
  const { symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest, stateGzip } = checkpoint;
  const { rowCount } = await client.query(
    `INSERT INTO checkpoint (symbol, window_end_ms, epoch, ordinal, lineage_digest, policy_digest, state_digest, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (symbol, window_end_ms) DO NOTHING`,
    [symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest, stateGzip],
  );
  if (rowCount === 1) return undefined;
  const { rows } = await client.query<{ state_digest: string }>(
    'SELECT state_digest FROM checkpoint WHERE symbol = $1 AND window_end_ms = $2',
    [symbol, windowEndMs],
  );
  const storedStateDigest = String(rows[0]?.state_digest);
  return storedStateDigest === stateDigest ? undefined : { windowEndMs, stateDigest, storedStateDigest };
}
