import { monthOf } from './calendar';
import { type Book, type Entry, grantOf, type Posting } from './book';

/**
 * Adds a posting to the book and moves every balance that its entries name.
 * @throws Error when the entries of a kind do not sum to zero, or when a balance would be negative
 */
export function post(book: Book, posting: Posting): void {
  const entries = posting.entries.filter(({ amount }) => amount !== 0);
  checkBalanced(entries);
  book.postings.push({ ...posting, entries });
  for (const entry of entries) move(book, entry, posting.countedOnMs);
}

function checkBalanced(entries: readonly Entry[]): void {
  const sums = new Map<string, number>();
  for (const { kind, amount } of entries) {
    if (!Number.isSafeInteger(amount)) throw new Error(`credits are whole, not ${amount}`);
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
