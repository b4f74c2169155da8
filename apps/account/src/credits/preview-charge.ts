import type { CreditKind } from '@market-state/pricing';
import { type Balance, balancesOf } from './balances';
import type { Credits } from './credits';
import { ceilingShortfall, limitsWithLeases, refusalOf, type Shortfall } from './limits';
import { lookAtBook } from './look-at-book';
import type { WorkOf } from './with-book';

/** What a call of some cost would meet and leave now. */
export interface ChargePreview {
  readonly balances: readonly Balance[];
  /** Null: it would be let through. `available` counts leases that would go back. */
  readonly refusal: Shortfall | null;
  /** Credits that calls may spend after it, those in leases included; below 0 when there are too few. */
  readonly after: Readonly<Record<CreditKind, number>>;
}

/** A call that somebody thinks of. */
export interface PreviewOrder extends WorkOf {
  readonly kind: CreditKind;
  /** What it may cost at most. */
  readonly needed: number;
}

/** Sets nothing aside. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export function previewCharge(credits: Credits, { tenantId, keyId, kind, needed }: PreviewOrder): Promise<ChargePreview> {
  return lookAtBook(credits, { tenantId, keyId }, (book) => {
    const left = (each: CreditKind): number =>
      Math.min(
        ...limitsWithLeases(book, each).map(({ control, free }) => free - (each === kind || control === 'credit_ceiling' ? needed : 0)),
      );
    return {
      balances: balancesOf(book),
      refusal: ceilingShortfall(book, kind, needed) ?? refusalOf(book, kind, needed),
      after: { market_state: left('market_state'), export: left('export') },
    };
  });
}
