import { WINDOW_MS } from '@market-state/market-data';
import type { Policy } from '../policy/policy';
import { createState, type LabelerState } from '../reducer/labeler-state';
import { StateRestoreError, restoreState } from '../reducer/state-image';
import { type RetainedCheckpoint, SourceError, unusable, type Span, type SymbolSource, type AlteredRow } from './symbol-source';
import { sha256Hex } from '../lineage';
import { gunzipWhole, TooLargeError } from './bundle';
import type { SigningKey } from '../packet-row/lines';
import { rederive, type Rederivation } from './rederive';

class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly faults: readonly string[];

  constructor({ symbol, window_end_ms: windowEndMs }: RetainedCheckpoint, faults: readonly string[]) {
    super(`checkpoint of ${symbol} at ${new Date(windowEndMs).toISOString()}: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

/**
 * Restores a checkpoint's state after verifying digest and header.
 * @throws CheckpointError with every fault; StateRestoreError if the state is of another version or policy
 */
export function stateOfCheckpoint(header: RetainedCheckpoint, stateBytes: Uint8Array, policy: Policy): LabelerState {
  const digest = sha256Hex(stateBytes);
  if (digest !== header.state_digest)
    throw new CheckpointError(header, [`its state has digest ${digest}, but the checkpoint says ${header.state_digest}`]);
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
    .map(([field, said, held]) => `${field} says ${said}, but the state has ${held}`);
  if (faults.length > 0) throw new CheckpointError(header, faults);
  return state;
}

/** Far above the busiest symbol's state. */
const STATE_BYTES_MAX = 67_108_864;

/**
 * Returns a sentence if the checkpoint cannot be right.
 * @throws StateRestoreError if the state is of another version or policy
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

interface Beginning {
  readonly start: RetainedCheckpoint | null;
  /**
   * Last window of another policy's chain at the start of the span, up to which windows are skipped; null if there is
   * none.
   */
  readonly otherChainUntilMs: number | null;
  readonly span: Span;
  /** After the start, in log order, up to the one that closes the span. */
  readonly checkpoints: readonly RetainedCheckpoint[];
}

/**
 * Newest checkpoint before the span that the entries continue from, or the start of the log.
 * @throws SourceError if neither is available
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
 * Returns a sentence if the checkpoint cannot be right.
 * @throws SourceError if its state is of another version or policy
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
    `${symbol}: the rows do not start at the log's first entry, and no checkpoint before the packets connects to them.`,
    `Provide the rows from the start of the log, or the preceding checkpoint as a line of market_state_checkpoint.v1.`,
  );
}

interface VerifyOptions {
  readonly policy: Policy;
  readonly keys: ReadonlyMap<string, SigningKey> | null;
  readonly onProgress: (entryTotal: number, windowEndMs: number | null) => void;
}

export interface Verification {
  readonly span: Span;
  readonly awaitingMax: number;
  /** Starting checkpoint; null: the start of the log. */
  readonly start: RetainedCheckpoint | null;
  /**
   * Last window of another policy's chain at the start of the span, up to which windows were not compared; null if
   * there is none.
   */
  readonly otherChainUntilMs: number | null;
  /** Reason that the checkpoint itself is invalid; nothing was re-derived then. */
  readonly brokenStart: string | null;
  readonly result: Rederivation | null;
  readonly altered: readonly AlteredRow[];
}

/** Starts at the newest preceding checkpoint that the entries continue from, or at the start of the log. */
export async function verifySymbol(source: SymbolSource, { policy, keys, onProgress }: VerifyOptions): Promise<Verification> {
  const { start, otherChainUntilMs, span: compared, checkpoints } = beginningOf(source, policy);
  const outcome = { span: source.span, awaitingMax: source.awaitingMax, altered: source.altered, start, otherChainUntilMs };
  const state = await stateAt(start, source, policy);
  if (typeof state === 'string') return { ...outcome, brokenStart: state, result: null };
  const result = await rederive({
    state,
    entries: source.entries(state.log.ordinal),
    packets: source.packets(compared),
    newestRetainedMs: source.newestRetainedMs,
    checkpoints,
    ...compared,
    keys,
    onProgress,
  });
  return { ...outcome, brokenStart: null, result };
}
