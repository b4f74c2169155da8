import type { SigningKey } from '../packet-row/lines';
import type { Policy } from '../policy/policy';
import { beginningOf, stateAt } from './beginning';
import { rederive, type Rederivation } from './rederive';
import type { RetainedCheckpoint } from './retained';
import type { AlteredRow, Span, SymbolSource } from './symbol-source';

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
