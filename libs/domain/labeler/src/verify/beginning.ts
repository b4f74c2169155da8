import { WINDOW_MS } from '@market-state/market-data';
import type { Policy } from '../policy/policy';
import { createState, type LabelerState } from '../reducer/labeler-state';
import { StateRestoreError } from '../state/restore-state';
import type { RetainedCheckpoint } from './retained';
import { SourceError, unusable } from './source-error';
import { stateOfKeptCheckpoint } from './start-state';
import type { Span, SymbolSource } from './symbol-source';

/** Where the log of a span has to be taken up, and what is met on the way. */
export interface Beginning {
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
