import type { CreditKind } from '@market-state/pricing';
import { availableOf, type Book, type Hold } from './book';
import { monthOf, nextDay, nextMonth } from './calendar';

/** What can refuse a call. */
export type Control = 'balance' | 'monthly_credit_cap' | 'daily_credit_cap' | 'export_credit_cap' | 'per_call_credit_ceiling';

/** What one control leaves free of a kind of credit. */
export interface Limit {
  readonly control: Control;
  /** Below 0 where a cap was lowered under what is spent and held. */
  readonly free: number;
  /** When it allows more: the cap's reset, or the next credits of the plan; null when nobody can say. Milliseconds since the epoch. */
  readonly resetsMs: number | null;
  /** Whether a hold counts against it. */
  readonly counts: (hold: Hold) => boolean;
}

/** Every control of a kind of credit that has a limit; the balance always has. */
export function limitsOf(book: Book, kind: CreditKind): Limit[] {
  const { monthlyCreditCap, dailyCreditCap, exportCreditCap } = book.controls;
  const { dayMs, spentDay, spentMonth } = book.totals[kind];
  const ofKind = (hold: Hold): boolean => hold.kind === kind;
  const today = (hold: Hold): boolean => ofKind(hold) && hold.countedOnMs === dayMs;
  const thisMonth = (hold: Hold): boolean => ofKind(hold) && monthOf(hold.countedOnMs) === monthOf(dayMs);
  const cap = (control: Control, limit: number | null, spent: number, resetsMs: number, counts: (hold: Hold) => boolean): Limit[] =>
    limit === null ? [] : [{ control, free: limit - spent - heldOf(book, counts), resetsMs, counts }];
  const balance: Limit = { control: 'balance', free: availableOf(book, kind), resetsMs: nextGrantMs(book), counts: ofKind };
  return kind === 'market_state'
    ? [
        balance,
        ...cap('monthly_credit_cap', monthlyCreditCap, spentMonth, nextMonth(dayMs), thisMonth),
        ...cap('daily_credit_cap', dailyCreditCap, spentDay, nextDay(dayMs), today),
      ]
    : [balance, ...cap('export_credit_cap', exportCreditCap, spentMonth, nextMonth(dayMs), thisMonth)];
}

/** Credits that new work may use: the least that the balance and the caps leave. */
export function freeOf(book: Book, kind: CreditKind): number {
  return Math.max(0, Math.min(...limitsOf(book, kind).map(({ free }) => free)));
}

/** Every control as it is once all leases have gone back, which they do before a call is refused. */
export function limitsWithLeases(book: Book, kind: CreditKind): Limit[] {
  return limitsOf(book, kind).map((limit) => ({ ...limit, free: limit.free + leftInLeases(book, limit.counts) }));
}

/** Why work that needs so many credits cannot be done now. */
export interface Shortfall {
  readonly control: Control;
  readonly available: number;
  readonly resetsMs: number | null;
  /** Leases whose unused credits would do. Empty: the work is refused. */
  readonly leases: readonly Hold[];
}

/** The ceiling that one call of such a cost is above; null: none. */
export function ceilingShortfall(book: Book, kind: CreditKind, needed: number): Shortfall | null {
  const ceiling = book.controls.perCallCreditCeiling;
  if (kind !== 'market_state' || ceiling === null || needed <= ceiling) return null;
  return { control: 'per_call_credit_ceiling', available: ceiling, resetsMs: null, leases: [] };
}

/** Null when the credits are free. Of several controls that refuse the one that does so longest is named. */
export function shortfallOf(book: Book, kind: CreditKind, needed: number): Shortfall | null {
  const refusing = refusingOf(limitsOf(book, kind), needed);
  const wouldDo = refusing.every(({ free, counts }) => free + leftInLeases(book, counts) >= needed);
  return toShortfall(refusing, wouldDo ? book.holds.filter((hold) => isLease(hold) && refusing.some(({ counts }) => counts(hold))) : []);
}

/** As `shortfallOf`, with every lease gone back. */
export function refusalOf(book: Book, kind: CreditKind, needed: number): Shortfall | null {
  return toShortfall(refusingOf(limitsWithLeases(book, kind), needed), []);
}

/** The controls that leave too little, the one that does so longest first. */
function refusingOf(limits: readonly Limit[], needed: number): Limit[] {
  return limits.filter(({ free }) => free < needed).sort((one, other) => endOf(other) - endOf(one));
}

function toShortfall([first]: readonly Limit[], leases: readonly Hold[]): Shortfall | null {
  return first === undefined ? null : { control: first.control, available: Math.max(0, first.free), resetsMs: first.resetsMs, leases };
}

function isLease(hold: Hold): boolean {
  return hold.lease !== null && hold.left > 0;
}

/** Credits in leases that `counts` takes, not charged yet. */
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
