import { sha256Hex } from '../lineage/digests';
import type { Policy } from '../policy/policy';
import type { LabelerState } from '../reducer/labeler-state';
import { gunzipWhole, TooLargeError } from '../packet-row/gunzip';
import { restoreState } from '../state/restore-state';
import type { RetainedCheckpoint } from './retained';

/** A checkpoint that re-derivation cannot begin at. `faults` names everything that is wrong with it. */
class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly faults: readonly string[];

  constructor({ symbol, window_end_ms: windowEndMs }: RetainedCheckpoint, faults: readonly string[]) {
    super(`checkpoint of ${symbol} at ${new Date(windowEndMs).toISOString()}: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

/**
 * The state of a checkpoint, after its digest and everything that its header says were found in it.
 * @throws CheckpointError with every fault; StateRestoreError when the state is of another version or policy
 */
export function stateOfCheckpoint(header: RetainedCheckpoint, stateBytes: Uint8Array, policy: Policy): LabelerState {
  const digest = sha256Hex(stateBytes);
  if (digest !== header.state_digest)
    throw new CheckpointError(header, [`its state has digest ${digest}, not ${header.state_digest} as it says`]);
  const state = restoreState(stateBytes, policy);
  const pairs = [
    ['symbol', header.symbol, state.symbol],
    ['epoch', header.epoch, state.log.epoch],
    ['ordinal', header.ordinal, state.log.ordinal],
    ['window_end_ms', header.window_end_ms, state.memory.history.newest()?.windowEndMs ?? 0],
    ['lineage_digest', header.lineage_digest, state.chain.lineageDigest],
  ] as const;
  const faults = pairs
    .filter(([, said, held]) => said !== held)
    .map(([field, said, held]) => `${field} says ${said}, the state holds ${held}`);
  if (faults.length > 0) throw new CheckpointError(header, faults);
  return state;
}

/** Many times what the state of the busiest symbol takes: what unpacks to more is no state. */
const STATE_BYTES_MAX = 67_108_864;

/**
 * The state of a checkpoint as it is kept: gzip, if nobody has changed it; a sentence where the checkpoint cannot be right.
 * @throws StateRestoreError when the state is of another version or policy
 */
export async function stateOfKeptCheckpoint(
  header: RetainedCheckpoint,
  stateGzip: Uint8Array,
  policy: Policy,
): Promise<LabelerState | string> {
  const bytes = await unpackedState(stateGzip);
  if (typeof bytes === 'string') return bytes;
  try {
    return stateOfCheckpoint(header, bytes, policy);
  } catch (error) {
    if (error instanceof CheckpointError) return error.message;
    throw error;
  }
}

async function unpackedState(stateGzip: Uint8Array): Promise<Uint8Array | string> {
  try {
    return await gunzipWhole(Uint8Array.from(stateGzip), STATE_BYTES_MAX);
  } catch (error) {
    return error instanceof TooLargeError ? 'its state unpacks to more than a state can be' : 'its state is not gzip';
  }
}
