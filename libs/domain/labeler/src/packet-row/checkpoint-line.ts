import { canonicalJson } from '../lineage/canonical-json';
import type { HexDigest } from '../lineage/digests';
import { digestFields, lineReader, symbolField, windowEndField } from './line-fields';

/** The `schema` of a checkpoint's line. */
export const CHECKPOINT_SCHEMA = 'market_state_checkpoint.v1';

const EPOCH_MAX = 4_294_967_295;

/** The labeler's state right after one log entry, as a line of NDJSON (RFC 8785 form) holds it. */
export interface CheckpointLine {
  readonly schema: typeof CHECKPOINT_SCHEMA;
  readonly symbol: string;
  /** T of the newest packet of the state, milliseconds since the epoch. */
  readonly window_end_ms: number;
  readonly epoch: number;
  /** The last log entry that the state has taken. */
  readonly ordinal: number;
  /** Of the packet at `window_end_ms`. */
  readonly lineage_digest: HexDigest;
  readonly policy_digest: HexDigest;
  /** SHA-256 of the state's bytes before compression. */
  readonly state_digest: HexDigest;
  /** The state's bytes, gzip, base64. */
  readonly state: string;
}

/** The checkpoint as its line, without the line's end. */
export function checkpointLine(checkpoint: CheckpointLine): string {
  return canonicalJson(checkpoint);
}

/**
 * The checkpoint that a line's JSON holds. Checks the form alone, not the digests.
 * @throws LineError naming every fault
 */
export const readCheckpointLine = lineReader<CheckpointLine>(CHECKPOINT_SCHEMA, (fields) => {
  symbolField(fields);
  windowEndField(fields);
  if (fields.integer('epoch') > EPOCH_MAX) fields.fault('epoch', `must be at most ${EPOCH_MAX}`, 0);
  fields.integer('ordinal', 1);
  digestFields(fields, 'lineage_digest', 'policy_digest', 'state_digest');
  fields.matching('state', /^[A-Za-z0-9+/]+={0,2}$/, 'base64');
});
