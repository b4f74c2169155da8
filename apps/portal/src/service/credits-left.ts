import type { Schemas } from '@market-state/client';

type Balance = Schemas['CreditBalance'];

/** One kind of credit as every page shows it. */
export interface CreditsLeft {
  readonly kind: Balance['credit_kind'];
  /** Granted and neither charged nor expired: reserved credits count until they are charged. */
  readonly left: number;
  /** The part of `left` that is reserved for exports in progress. */
  readonly reservedForExports: number;
  /** The part of `left` that is reserved for calls in progress. */
  readonly reservedForCalls: number;
  readonly spentToday: number;
  readonly spentThisMonth: number;
}

/** @param charged market-state credits that this tab was charged after the balance was read */
export function creditsLeft({ credit_kind: kind, ...balance }: Balance, charged: number): CreditsLeft {
  const spent = kind === 'market_state' ? charged : 0;
  return {
    kind,
    left: Math.max(0, balance.available + balance.held + balance.leased_to_gateways - spent),
    reservedForExports: balance.held,
    reservedForCalls: Math.max(0, balance.leased_to_gateways - spent),
    spentToday: balance.spent_today + spent,
    spentThisMonth: balance.spent_this_month + spent,
  };
}
