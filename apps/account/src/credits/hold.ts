import type { CreditKind } from '@market-state/pricing';
import { type Book, type Entry, type Grant, grantOf, type Hold, type HoldPart, type Lease } from './credit-ledger';
import { post } from './give';
import { reportThresholds } from './thresholds';

interface HoldOrder {
  readonly id: string;
  readonly kind: CreditKind;
  readonly operationId: string;
  readonly amount: number;
  readonly releaseMs: number;
  readonly lease: Lease | null;
}

/** Reserves credits from grants in order of use, under the book's ceiling. */
export function hold(book: Book, order: HoldOrder): Hold {
  const parts = partsFor(book, order.kind, order.amount);
  const { dayMs } = book.totals[order.kind];
  const ceiling = book.ceiling === null ? null : { id: book.ceiling.id, windowFromMs: book.ceiling.windowFromMs };
  const taken: Hold = { ...order, left: order.amount, parts, countedOnMs: dayMs, ceiling, takenAtMs: book.nowMs, endedMs: null };
  book.holds.push(taken);
  book.changedHolds.add(taken);
  post(book, {
    operationId: order.id,
    phase: 'hold',
    part: 0,
    countedOnMs: dayMs,
    entries: [...parts.map((part) => grantEntry(order.kind, part.grantId, -part.amount)), entry(order.kind, 'holds', order.amount)],
  });
  return taken;
}

function partsFor(book: Book, kind: CreditKind, amount: number): HoldPart[] {
  const parts: HoldPart[] = [];
  let missing = amount;
  for (const grant of book.grants) {
    if (missing === 0) break;
    if (grant.kind !== kind || grant.left === 0) continue;
    const part = Math.min(missing, grant.left);
    parts.push({ grantId: grant.id, amount: part });
    missing -= part;
  }
  if (missing > 0) throw new Error(`${missing} of ${amount} credits are not available`);
  return parts;
}

export function charge(book: Book, from: Hold, amount: number, batch: number): void {
  if (amount > from.left) throw new Error(`${amount} credits exceed the ${from.left} left`);
  for (const { grantId, amount: used } of nextParts(from, amount)) {
    const grant = grantOf(book, grantId);
    const spentBefore = grant.spent;
    grant.spent += used;
    book.changedGrants.add(grant);
    reportThresholds.ofGrant(book, grant, spentBefore);
  }
  from.left -= amount;
  book.changedHolds.add(from);
  countUnderCeiling(book, from, amount);
  const { spentDay, spentMonth } = book.totals[from.kind];
  post(book, {
    operationId: from.id,
    phase: 'charge',
    part: batch,
    countedOnMs: from.countedOnMs,
    entries: [entry(from.kind, 'holds', -amount), entry(from.kind, 'spent', amount)],
  });
  reportThresholds.ofCaps(book, from.kind, { spentDay, spentMonth });
}

/** Ended windows and removed ceilings no longer count. */
function countUnderCeiling(book: Book, { ceiling: counted }: Hold, amount: number): void {
  const ceiling = book.ceilings.find(({ id, windowFromMs }) => id === counted?.id && windowFromMs === counted.windowFromMs);
  if (ceiling === undefined) return;
  ceiling.spent += amount;
  book.changedCeilings.add(ceiling);
}

export function giveBack(book: Book, from: Hold): void {
  const { left } = from;
  const parts = nextParts(from, left);
  from.left = 0;
  from.endedMs = book.nowMs;
  book.changedHolds.add(from);
  book.holds.splice(book.holds.indexOf(from), 1);
  post(book, {
    operationId: from.id,
    phase: 'release',
    part: 0,
    countedOnMs: book.totals[from.kind].dayMs,
    entries: [entry(from.kind, 'holds', -left), ...parts.map((part) => grantEntry(from.kind, part.grantId, part.amount))],
  });
}

/** A grant's unused credits in open holds. */
export function leftInHolds(book: Book, grant: Grant): number {
  return book.holds.reduce((sum, held) => sum + leftOfGrant(held, grant.id), 0);
}

function leftOfGrant(from: Hold, grantId: string): number {
  return nextParts(from, from.left).reduce((sum, part) => (part.grantId === grantId ? sum + part.amount : sum), 0);
}

function nextParts({ amount: all, left, parts }: Hold, amount: number): HoldPart[] {
  let skip = all - left;
  let missing = amount;
  const next: HoldPart[] = [];
  for (const part of parts) {
    const skipped = Math.min(skip, part.amount);
    const taken = Math.min(missing, part.amount - skipped);
    skip -= skipped;
    missing -= taken;
    if (taken > 0) next.push({ grantId: part.grantId, amount: taken });
  }
  return next;
}

function entry(kind: CreditKind, account: 'holds' | 'spent', amount: number): Entry {
  return { kind, account, grantId: null, amount };
}

function grantEntry(kind: CreditKind, grantId: string, amount: number): Entry {
  return { kind, account: 'grant', grantId, amount };
}
