import type { CreditKind } from '@market-state/pricing';
import { type Book, CREDIT_KINDS, type Grant, type GrantSource } from './book';
import { post } from './post';

export interface Gift {
  readonly source: GrantSource;
  /** A second gift by the same operation gives nothing. */
  readonly operationId: string;
  readonly note: string;
  readonly credits: Readonly<Record<CreditKind, number>>;
  /** Null: never. */
  readonly expiresMs: number | null;
}

/** Gives credits to the book's tenant, a grant for each kind. The operation must not have given before. */
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

/** Those that end first are used first, those that never end last; of two alike the older one. */
export function byUse(one: Grant, other: Grant): number {
  return endOf(one) - endOf(other) || one.grantedMs - other.grantedMs || (one.id < other.id ? -1 : 1);
}

function endOf({ expiresMs }: Grant): number {
  return expiresMs ?? Number.MAX_SAFE_INTEGER;
}
