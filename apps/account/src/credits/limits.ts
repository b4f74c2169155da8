import type { CreditKind } from '@market-state/pricing';
import { availableOf, type Book, type Ceiling, type CeilingTerms, type Hold } from './credit-ledger';
import { monthOf, nextDay, nextMonth, windowAt } from './calendar';

export type Control =
  | 'balance'
  | 'monthly_credit_cap'
  | 'daily_credit_cap'
  | 'export_credit_cap'
  | 'per_call_credit_ceiling'
  | 'credit_ceiling';

export interface Limit {
  readonly control: Control;
  /** Negative if a cap was lowered below what is spent and held. */
  readonly free: number;
  /** Time of the cap's reset or the plan's next credits; null if unknown. */
  readonly resetsMs: number | null;
  readonly counts: (hold: Hold) => boolean;
}

/** Controls that limit a kind of credit; always includes the balance. The book's ceiling counts both kinds. */
export function limitsOf(book: Book, kind: CreditKind): Limit[] {
  const { monthlyCreditCap, dailyCreditCap, exportCreditCap } = book.controls;
  const { dayMs, spentDay, spentMonth } = book.totals[kind];
  const ofKind = (hold: Hold): boolean => hold.kind === kind;
  const today = (hold: Hold): boolean => ofKind(hold) && hold.countedOnMs === dayMs;
  const thisMonth = (hold: Hold): boolean => ofKind(hold) && monthOf(hold.countedOnMs) === monthOf(dayMs);
  const cap = (control: Control, limit: number | null, spent: number, resetsMs: number, counts: (hold: Hold) => boolean): Limit[] =>
    limit === null ? [] : [{ control, free: limit - spent - heldOf(book, counts), resetsMs, counts }];
  const balance: Limit = { control: 'balance', free: availableOf(book, kind), resetsMs: nextGrantMs(book), counts: ofKind };
  const ceiling = book.ceiling === null ? [] : [ceilingLimit(book, book.ceiling)];
  return kind === 'market_state'
    ? [
        balance,
        ...ceiling,
        ...cap('monthly_credit_cap', monthlyCreditCap, spentMonth, nextMonth(dayMs), thisMonth),
        ...cap('daily_credit_cap', dailyCreditCap, spentDay, nextDay(dayMs), today),
      ]
    : [balance, ...ceiling, ...cap('export_credit_cap', exportCreditCap, spentMonth, nextMonth(dayMs), thisMonth)];
}

function ceilingLimit(book: Book, ceiling: Ceiling): Limit {
  const counts = (hold: Hold): boolean => hold.ceiling?.id === ceiling.id && hold.ceiling.windowFromMs === ceiling.windowFromMs;
  return {
    control: 'credit_ceiling',
    free: ceiling.credits - ceiling.spent - heldOf(book, counts),
    resetsMs: windowEndOf(ceiling),
    counts,
  };
}

export function windowEndOf({ windowSeconds, windowFromMs }: Pick<Ceiling, 'windowSeconds' | 'windowFromMs'>): number {
  return windowFromMs + windowSeconds * 1_000;
}

export interface CeilingStatus extends CeilingTerms {
  readonly spent: number;
  readonly available: number;
  readonly resetsMs: number;
}

/** State of the book's ceiling, assuming that all leases are returned; null without one. */
export function ceilingStatus(book: Book): CeilingStatus | null {
  if (book.ceiling === null) return null;
  const { credits, windowSeconds, spent } = book.ceiling;
  const { free, counts } = ceilingLimit(book, book.ceiling);
  return { credits, windowSeconds, spent, available: free + leftInLeases(book, counts), resetsMs: windowEndOf(book.ceiling) };
}

/** Ignores holds. */
export function chargedCeilingStatus({ credits, windowSeconds, windowFromMs, spent: counted }: Ceiling, nowMs: number): CeilingStatus {
  const { fromMs, toMs } = windowAt(windowSeconds, nowMs);
  const spent = fromMs > windowFromMs ? 0 : counted;
  return { credits, windowSeconds, spent, available: credits - spent, resetsMs: toMs };
}

export function freeOf(book: Book, kind: CreditKind): number {
  return Math.max(0, Math.min(...limitsOf(book, kind).map(({ free }) => free)));
}

/** Limits once all leases are returned, which happens before a call is refused. */
export function limitsWithLeases(book: Book, kind: CreditKind): Limit[] {
  return limitsOf(book, kind).map((limit) => ({ ...limit, free: limit.free + leftInLeases(book, limit.counts) }));
}

export interface Shortfall {
  readonly control: Control;
  readonly available: number;
  readonly resetsMs: number | null;
  readonly ceiling: CeilingStatus | null;
  /** Leases whose unused credits would suffice. Empty: the work is refused. */
  readonly leases: readonly Hold[];
}

export function ceilingShortfall(book: Book, kind: CreditKind, needed: number): Shortfall | null {
  const ceiling = book.controls.perCallCreditCeiling;
  if (kind !== 'market_state' || ceiling === null || needed <= ceiling) return null;
  return { control: 'per_call_credit_ceiling', available: ceiling, resetsMs: null, ceiling: null, leases: [] };
}

/**
 * Null if the credits are free. Names the control that refuses longest.
 * @param neededInAll of both kinds, for the ceiling
 */
export function shortfallOf(book: Book, kind: CreditKind, needed: number, neededInAll = needed): Shortfall | null {
  const need = { needed, neededInAll };
  const refusing = refusingOf(limitsOf(book, kind), need);
  const wouldDo = refusing.every((limit) => limit.free + leftInLeases(book, limit.counts) >= neededUnder(limit, need));
  return toShortfall(
    book,
    refusing,
    wouldDo ? book.holds.filter((hold) => isLease(hold) && refusing.some(({ counts }) => counts(hold))) : [],
  );
}

/** Like `shortfallOf`, with every lease returned. */
export function refusalOf(book: Book, kind: CreditKind, needed: number): Shortfall | null {
  return toShortfall(book, refusingOf(limitsWithLeases(book, kind), { needed, neededInAll: needed }), []);
}

interface Need {
  readonly needed: number;
  readonly neededInAll: number;
}

function neededUnder({ control }: Limit, { needed, neededInAll }: Need): number {
  return control === 'credit_ceiling' ? neededInAll : needed;
}

function refusingOf(limits: readonly Limit[], need: Need): Limit[] {
  return limits.filter((limit) => limit.free < neededUnder(limit, need)).sort((one, other) => endOf(other) - endOf(one));
}

function toShortfall(book: Book, [first]: readonly Limit[], leases: readonly Hold[]): Shortfall | null {
  if (first === undefined) return null;
  const ceiling = first.control === 'credit_ceiling' ? ceilingStatus(book) : null;
  return { control: first.control, available: Math.max(0, first.free), resetsMs: first.resetsMs, ceiling, leases };
}

function isLease(hold: Hold): boolean {
  return hold.lease !== null && hold.left > 0;
}

export function leftInLeases(book: Book, counts: Limit['counts']): number {
  return heldOf(book, (hold) => isLease(hold) && counts(hold));
}

function heldOf(book: Book, counts: (hold: Hold) => boolean): number {
  return book.holds.reduce((sum, hold) => (counts(hold) ? sum + hold.left : sum), 0);
}

function nextGrantMs({ plan: { renewal, disabled, periodToMs, untilMs } }: Book): number | null {
  if (renewal === 'none' || disabled || periodToMs === null || (untilMs !== null && periodToMs >= untilMs)) return null;
  return periodToMs;
}

function endOf({ resetsMs }: Limit): number {
  return resetsMs ?? Number.MAX_SAFE_INTEGER;
}
