import { canonicalJson } from '../lineage/canonical-json';
import type { HexDigest } from '../lineage/digests';
import { digestFields, lineOf, lineReader, symbolField, windowEndField } from './line-fields';

export const CHECKPOINT_SCHEMA = 'market_state_checkpoint.v1';

const EPOCH_MAX = 4_294_967_295;

/** Labeler state right after one log entry, as a line of NDJSON (RFC 8785); in memory, `symbol` is the key of a market. */
export interface CheckpointLine {
  readonly schema: typeof CHECKPOINT_SCHEMA;
  readonly symbol: string;
  readonly window_end_ms: number;
  readonly epoch: number;
  /** Last log entry included in the state. */
  readonly ordinal: number;
  readonly lineage_digest: HexDigest;
  readonly policy_digest: HexDigest;
  /** SHA-256 of the state's bytes before compression. */
  readonly state_digest: HexDigest;
  /** State bytes, gzip, base64. */
  readonly state: string;
}

export function checkpointLine(checkpoint: CheckpointLine): string {
  return canonicalJson(lineOf(checkpoint));
}

/**
 * Parses a checkpoint line, without verifying digests.
 * @throws LineError with every fault
 */
export const readCheckpointLine = lineReader<CheckpointLine>(CHECKPOINT_SCHEMA, (fields) => {
  symbolField(fields);
  windowEndField(fields);
  if (fields.integer('epoch') > EPOCH_MAX) fields.fault('epoch', `must be at most ${EPOCH_MAX}`, 0);
  fields.integer('ordinal', 1);
  digestFields(fields, 'lineage_digest', 'policy_digest', 'state_digest');
  fields.matching('state', /^[A-Za-z0-9+/]+={0,2}$/, 'base64');
});
