import { gzipSync } from 'node:zlib';
import { toBase64 } from '@market-state/market-data';
import { sha256Hex } from '../lineage/digests';
import type { LabelerState } from '../reducer/labeler-state';
import { serializeState } from '../reducer/state-image';
import { CHECKPOINT_SCHEMA, type CheckpointLine } from './checkpoint-line';

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
    state: toBase64(gzipSync(bytes)),
  };
}
