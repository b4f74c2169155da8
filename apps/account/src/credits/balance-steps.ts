import type { CreditKind } from '@market-state/pricing';
import { CREDIT_KINDS } from './book';

/** What moved credits. `granted` less `charged` and `expired` is what the whole changed by. */
export interface Moved {
  readonly granted: number;
  readonly charged: number;
  readonly expired: number;
  /** Given back by reservations that cost less than was set aside for them, or were released. It is part of the change of `held`. */
  readonly returned: number;
  /** By how much what reservations hold changed, and what leases hold. */
  readonly held: number;
  readonly leased: number;
}

/** Credits of one kind at an instant; the three are together what the grants have left. */
export interface BalanceAt {
  readonly kind: CreditKind;
  readonly available: number;
  readonly held: number;
  readonly leasedToGateways: number;
}

/** A step of a span for one kind of credit: its balance at the end, and what moved it. */
export interface BalanceStep extends BalanceAt, Pick<Moved, 'granted' | 'charged' | 'expired' | 'returned'> {
  readonly fromMs: number;
  /** The end of the step, or now where that is before. */
  readonly toMs: number;
  /** Whether nothing of it can change any more. */
  readonly closed: boolean;
}

/** A span in steps of equal length that begin at whole multiples of it since the epoch. */
export interface Steps {
  /** The start of its first step. */
  readonly fromMs: number;
  /** No step begins then or later. */
  readonly toMs: number;
  readonly stepMs: number;
}

/**
 * So long after its end a step may still get a posting: of work that was begun before, waited for its tenant and was committed after. It is
 * several times what the database lets any wait of a transaction last.
 */
export const SETTLE_MS = 120_000;

const NOTHING: Moved = { granted: 0, charged: 0, expired: 0, returned: 0, held: 0, leased: 0 };

/**
 * The balances at the start of a span, and at the end of each step of it that has begun: each is the one before it plus what moved it.
 * @param sums of a kind and step at most one; `stepMs` null: everything before the span
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
