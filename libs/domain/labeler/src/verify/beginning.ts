import { WINDOW_MS } from '@market-state/market-data';
import type { Policy } from '../policy/policy';
import { createState, type LabelerState } from '../reducer/labeler-state';
import { StateRestoreError, restoreState } from '../state/restore-state';
import type { RetainedCheckpoint } from './retained';
import { SourceError, unusable, type Span, type SymbolSource } from './symbol-source';
import { sha256Hex } from '../lineage/digests';
import { gunzipWhole, TooLargeError } from '../packet-row/gunzip';

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

/** Where the log of a span has to be taken up, and what is met on the way. */
interface Beginning {
  /** Null: the beginning of the log. */
  readonly start: RetainedCheckpoint | null;
  /** The span begins in a chain of another policy, which ends here: window ends up to this one are left out. Null: there is none. */
  readonly otherChainUntilMs: number | null;
  /** The span without those. */
  readonly span: Span;
  /** Of the policy, after the start, in log order, up to the one that closes the span. */
  readonly checkpoints: readonly RetainedCheckpoint[];
}

/**
 * The newest checkpoint before the span that the entries go on from, or else the log's beginning.
 * @throws SourceError when neither is there
 */
export function beginningOf(source: SymbolSource, policy: Policy): Beginning {
  const { span } = source;
  const usable = source.checkpoints.filter((checkpoint) => checkpoint.policy_digest === policy.digest);
  const before = usable.findLast(({ window_end_ms: windowEndMs, ordinal }) => windowEndMs < span.fromMs && source.reaches(ordinal)) ?? null;
  const takenOver = before === null && source.checkpoints[0] !== usable[0];
  const start = takenOver ? (usable[0] ?? null) : before;
  if (start === null && !source.reaches(0)) throw beginsTooLate(source);
  const otherChainUntilMs = takenOver && start !== null ? start.window_end_ms : null;
  const after = usable.filter(({ ordinal }) => ordinal > (start?.ordinal ?? 0));
  const closing = after.findIndex(({ window_end_ms: windowEndMs }) => windowEndMs >= span.toMs);
  return {
    start,
    otherChainUntilMs,
    span: { fromMs: Math.max(span.fromMs, (otherChainUntilMs ?? 0) + WINDOW_MS), toMs: span.toMs },
    checkpoints: closing < 0 ? after : after.slice(0, closing + 1),
  };
}

/**
 * The labeler's state at the start; a sentence where the checkpoint cannot be right.
 * @throws SourceError when its state is of another version or policy
 */
export async function stateAt(start: RetainedCheckpoint | null, source: SymbolSource, policy: Policy): Promise<LabelerState | string> {
  if (start === null) return createState(source.symbol, policy);
  const stateGzip = await source.stateGzip(start);
  try {
    return await stateOfKeptCheckpoint(start, stateGzip, policy);
  } catch (error) {
    if (error instanceof StateRestoreError)
      throw new SourceError('incomplete', [`${source.symbol}: cannot continue from the checkpoint to start at: ${error.message}`]);
    throw error;
  }
}

function beginsTooLate({ symbol }: SymbolSource): Error {
  return unusable(
    `${symbol}: the rows do not begin at the log's first entry, and no checkpoint before the packets connects to them.`,
    `Give the rows from the beginning, or the checkpoint before them as a line of market_state_checkpoint.v1.`,
  );
}
