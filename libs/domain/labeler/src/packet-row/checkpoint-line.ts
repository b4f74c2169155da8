import { gunzipSync, gzipSync } from 'node:zlib';
import schema from '../../schemas/market-state-checkpoint.v1.schema.json';
import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex, type HexDigest } from '../lineage/digests';
import type { LabelerState } from '../reducer/labeler-state';
import { serializeState } from '../state/serialize-state';
import { lineReader } from './line-schema';

/** The `schema` of a checkpoint's line. */
export const CHECKPOINT_SCHEMA = 'market_state_checkpoint.v1';

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

/** The checkpoint of a state whose newest packet is that of `windowEndMs`. */
export function checkpointOf(state: LabelerState, windowEndMs: number): CheckpointLine {
  const bytes = serializeState(state);
  return {
    schema: CHECKPOINT_SCHEMA,
    symbol: state.symbol,
    window_end_ms: windowEndMs,
    epoch: state.log.epoch,
    ordinal: state.log.ordinal,
    lineage_digest: state.chain.lineageDigest,
    policy_digest: state.policy.digest,
    state_digest: sha256Hex(bytes),
    state: gzipSync(bytes).toString('base64'),
  };
}

/** The checkpoint as its line, without the line's end. */
export function checkpointLine(checkpoint: CheckpointLine): string {
  return canonicalJson(checkpoint);
}

/**
 * The checkpoint that a line's JSON holds. Checks the form alone, not the digests.
 * @throws LineError naming every fault
 */
export const readCheckpointLine = lineReader<CheckpointLine>(schema);

/** Many times what the state of the busiest symbol takes: what unpacks to more is no state. */
const STATE_BYTES_MAX = 67_108_864;

/**
 * The bytes of a state that was stored as gzip. @throws zlib's Error when it is not gzip; RangeError when it unpacks to more than 64 MiB
 */
export function unpackedState(stateGzip: Uint8Array): Uint8Array {
  return gunzipSync(stateGzip, { maxOutputLength: STATE_BYTES_MAX });
}
