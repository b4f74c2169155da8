import type { CheckpointHeader } from '../checkpoints/checkpoint';

/** Columns of table `checkpoint` but for the state. */
export const CHECKPOINT_HEADER_COLUMNS = [
  'symbol',
  'window_end_ms',
  'epoch',
  'ordinal',
  'lineage_digest',
  'policy_digest',
  'state_digest',
] as const;

/** A row as the driver reads it: 64 bit integers are text. */
export type CheckpointHeaderRow = Readonly<Record<Exclude<(typeof CHECKPOINT_HEADER_COLUMNS)[number], 'epoch'>, string>> & {
  readonly epoch: number;
};

export function fromCheckpointHeaderRow(row: CheckpointHeaderRow): CheckpointHeader {
  return {
    symbol: row.symbol,
    windowEndMs: Number(row.window_end_ms),
    epoch: row.epoch,
    ordinal: Number(row.ordinal),
    lineageDigest: row.lineage_digest,
    policyDigest: row.policy_digest,
    stateDigest: row.state_digest,
  };
}
