import type { CreditKind } from '@market-state/pricing';
import { CREDIT_KINDS } from './credit-ledger';

/** Movements of credits. `granted` - `charged` - `expired` is the change of the total. */
export interface Moved {
  readonly granted: number;
  readonly charged: number;
  readonly expired: number;
  /** Unused credits returned from reservations; included in the change of `held`. */
  readonly returned: number;
  readonly held: number;
  readonly leased: number;
}

/** The three parts add up to what grants have left. */
export interface BalanceAt {
  readonly kind: CreditKind;
  readonly available: number;
  readonly held: number;
  readonly leasedToGateways: number;
}

export interface BalanceStep extends BalanceAt, Pick<Moved, 'granted' | 'charged' | 'expired' | 'returned'> {
  readonly fromMs: number;
  /** End of the step, or now if earlier. */
  readonly toMs: number;
  /** True once the step is final. */
  readonly closed: boolean;
}

export interface Steps {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly stepMs: number;
}

/**
 * Time after its end in which a step may still receive postings from waiting transactions; several times the lock
 * timeout.
 */
export const SETTLE_MS = 120_000;

const NOTHING: Moved = { granted: 0, charged: 0, expired: 0, returned: 0, held: 0, leased: 0 };

/**
 * Balances at the start of a span and after each step that has started.
 * @param sums at most one per kind and step; `stepMs` null: before the span
 */
export function balanceSteps(
  sums: readonly (Moved & { readonly kind: CreditKind; readonly stepMs: number | null })[],
  { fromMs, toMs, stepMs }: Steps,
  nowMs: number,
): { readonly opening: readonly BalanceAt[]; readonly steps: readonly BalanceStep[] } {
  const movedAt = new Map(sums.map((sum) => [`${sum.kind} ${sum.stepMs}`, sum]));
  const movedIn = (kind: CreditKind, at: number | null): Moved => movedAt.get(`${kind} ${at}`) ?? NOTHING;
  const empty = (kind: CreditKind): BalanceAt => ({ kind, available: 0, held: 0, leasedToGateways: 0 });
  const opening = CREDIT_KINDS.map((kind) => after(empty(kind), movedIn(kind, null)));
  const steps: BalanceStep[] = [];
  let balances: readonly BalanceAt[] = opening;
  for (let at = fromMs; at < toMs && at <= nowMs; at += stepMs) {
    const endMs = at + stepMs;
    balances = balances.map((before) => after(before, movedIn(before.kind, at)));
    for (const balance of balances) {
      const { granted, charged, expired, returned } = movedIn(balance.kind, at);
      const moved = { granted, charged, expired, returned };
      steps.push({ fromMs: at, toMs: Math.min(endMs, nowMs), closed: endMs + SETTLE_MS <= nowMs, ...balance, ...moved });
    }
  }
  return { opening, steps };
}

function after({ kind, available, held, leasedToGateways }: BalanceAt, moved: Moved): BalanceAt {
  return {
    kind,
    available: available + moved.granted - moved.charged - moved.expired - moved.held - moved.leased,
    held: held + moved.held,
    leasedToGateways: leasedToGateways + moved.leased,
  };
}
