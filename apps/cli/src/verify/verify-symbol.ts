import {
  CheckpointError,
  createState,
  rederive,
  stateOfCheckpoint,
  StateRestoreError,
  type LabelerState,
  type Policy,
  type Rederivation,
  type RetainedCheckpoint,
  type SigningKey,
} from '@market-state/labeler';
import { badInput, incomplete } from '../cli-error';
import { WINDOW_MS, type Span, type SymbolSource } from './symbol-source';

export interface VerifyOptions {
  readonly policy: Policy;
  /** By id; null: signatures are not checked. */
  readonly keys: ReadonlyMap<string, SigningKey> | null;
  readonly onProgress: (entryTotal: number, windowEndMs: number | null) => void;
}

/** How one symbol fared. */
export interface Verification {
  readonly span: Span;
  /** So many of the newest packets may be there before their entries are. */
  readonly awaitingMax: number;
  /** The checkpoint that re-derivation began at; null: the beginning of the log. */
  readonly start: RetainedCheckpoint | null;
  /** The span begins in a chain of another policy, which ends here: window ends up to this one were not compared. Null: there is none. */
  readonly otherChainUntilMs: number | null;
  /** Why that checkpoint itself cannot be right; then nothing was re-derived. */
  readonly brokenStart: string | null;
  readonly result: Rederivation | null;
}

/** Re-derives the symbol's span from the newest checkpoint before it that the entries go on from, or else from the log's beginning. */
export async function verifySymbol(source: SymbolSource, { policy, keys, onProgress }: VerifyOptions): Promise<Verification> {
  const { span } = source;
  const usable = source.checkpoints.filter((checkpoint) => checkpoint.policy_digest === policy.digest);
  const before = usable.findLast(({ window_end_ms: windowEndMs, ordinal }) => windowEndMs < span.fromMs && source.reaches(ordinal)) ?? null;
  const takenOver = before === null && source.checkpoints[0] !== usable[0];
  const start = takenOver ? (usable[0] ?? null) : before;
  if (start === null && !source.reaches(0)) throw beginsTooLate(source);
  const outcome = { span, awaitingMax: source.awaitingMax, start, otherChainUntilMs: takenOver && start !== null ? start.window_end_ms : null };
  let state: LabelerState;
  try {
    state = start === null ? createState(source.symbol, policy) : stateOfCheckpoint(start, await source.stateBytes(start), policy);
  } catch (error) {
    if (error instanceof StateRestoreError) throw incomplete(`${source.symbol}: the checkpoint to begin at cannot be continued: ${error.message}`);
    if (error instanceof CheckpointError) return { ...outcome, brokenStart: error.message, result: null };
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code.startsWith('Z_')) return { ...outcome, brokenStart: 'its state is not gzip', result: null };
    if (code === 'ERR_BUFFER_TOO_LARGE') return { ...outcome, brokenStart: 'its state unpacks to more than a state can be', result: null };
    throw error;
  }
  const compared = { fromMs: Math.max(span.fromMs, (outcome.otherChainUntilMs ?? 0) + WINDOW_MS), toMs: span.toMs };
  const after = usable.filter(({ ordinal }) => ordinal > state.log.ordinal);
  const closing = after.findIndex(({ window_end_ms: windowEndMs }) => windowEndMs >= span.toMs);
  const result = await rederive({
    state,
    entries: source.entries(state.log.ordinal),
    packets: source.packets(compared),
    newestRetainedMs: source.newestRetainedMs,
    checkpoints: closing < 0 ? after : after.slice(0, closing + 1),
    ...compared,
    keys,
    onProgress,
  });
  return { ...outcome, brokenStart: null, result };
}

function beginsTooLate({ symbol }: SymbolSource): Error {
  return badInput(
    `${symbol}: the rows do not begin at the log's first entry, and no checkpoint before the packets leads up to them.`,
    `Give the rows from the beginning, or the checkpoint before them as a line of market_state_checkpoint.v1.`,
  );
}
