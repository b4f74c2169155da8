import type { CreditKind } from '@market-state/pricing';
import { type Book, CREDIT_KINDS, type Grant, type GrantSource, type Entry, grantOf, type Posting } from './credit-ledger';
import { monthOf } from './calendar';

/** @throws Error if the entries of a kind do not sum to zero, or a balance would be negative */
export function post(book: Book, posting: Posting): void {
  const entries = posting.entries.filter(({ amount }) => amount !== 0);
  checkBalanced(entries);
  book.postings.push({ ...posting, entries });
  for (const entry of entries) move(book, entry, posting.countedOnMs);
}

function checkBalanced(entries: readonly Entry[]): void {
  const sums = new Map<string, number>();
  for (const { kind, amount } of entries) {
    if (!Number.isSafeInteger(amount)) throw new Error(`credits must be integers, got ${amount}`);
    sums.set(kind, (sums.get(kind) ?? 0) + amount);
  }
  for (const [kind, sum] of sums) if (sum !== 0) throw new Error(`entries of ${kind} sum to ${sum}`);
}

function move(book: Book, { kind, account, grantId, amount }: Entry, countedOnMs: number): void {
  const totals = book.totals[kind];
  switch (account) {
    case 'grant': {
      const grant = grantOf(book, grantId ?? '');
      grant.left = notNegative(grant.left + amount, 'grant');
      book.changedGrants.add(grant);
      return;
    }
    case 'holds':
      totals.held = notNegative(totals.held + amount, 'holds');
      return;
    case 'issued':
      totals.issued -= amount;
      return;
    case 'expired':
      totals.expired += amount;
      return;
    case 'spent':
      totals.spent += amount;
      if (countedOnMs === totals.dayMs) totals.spentDay += amount;
      if (monthOf(countedOnMs) === monthOf(totals.dayMs)) totals.spentMonth += amount;
      return;
    default:
      account satisfies never;
  }
}

function notNegative(balance: number, account: string): number {
  if (balance < 0) throw new Error(`${account} would be ${balance}`);
  return balance;
}

interface Gift {
  readonly source: GrantSource;
  /** Makes the grant idempotent. */
  readonly operationId: string;
  readonly note: string;
  readonly credits: Readonly<Record<CreditKind, number>>;
  readonly expiresMs: number | null;
}

/** One grant per kind. The operation must not have granted before. */
export function give(book: Book, gift: Gift): void {
  const made = CREDIT_KINDS.filter((kind) => gift.credits[kind] > 0).map((kind): Grant => {
    const { source, operationId, note, expiresMs } = gift;
    return {
      id: book.newId('grn'),
      kind,
      source,
      operationId,
      note,
      amount: gift.credits[kind],
      left: 0,
      spent: 0,
      grantedMs: book.nowMs,
      expiresMs,
    };
  });
  book.grants = [...book.grants, ...made].sort(byUse);
  post(book, {
    operationId: gift.operationId,
    phase: 'grant',
    part: 0,
    countedOnMs: book.totals.market_state.dayMs,
    entries: made.flatMap(({ id, kind, amount }) => [
      { kind, account: 'issued', grantId: null, amount: -amount },
      { kind, account: 'grant', grantId: id, amount },
    ]),
  });
}

/** Earliest expiry first, then oldest. */
export function byUse(one: Grant, other: Grant): number {
  return endOf(one) - endOf(other) || one.grantedMs - other.grantedMs || (one.id < other.id ? -1 : 1);
}

function endOf({ expiresMs }: Grant): number {
  return expiresMs ?? Number.MAX_SAFE_INTEGER;
}
