import type { SigningKey } from '../packet-row/signing-key';
import type { Policy } from '../policy/policy';
import { beginningOf, stateAt } from './beginning';
import { rederive, type Rederivation } from './rederive';
import type { RetainedCheckpoint } from './retained';
import type { AlteredRow, Span, SymbolSource } from './symbol-source';

interface VerifyOptions {
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
  /** Rows that say one thing in their entry and another in their columns. */
  readonly altered: readonly AlteredRow[];
}

/** Re-derives the symbol's span from the newest checkpoint before it that the entries go on from, or else from the log's beginning. */
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
