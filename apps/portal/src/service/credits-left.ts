import type { Schemas } from '@market-state/client';

type Balance = Schemas['CreditBalance'];

export interface CreditsLeft {
  readonly kind: Balance['credit_kind'];
  /** Includes reserved credits until they are charged. */
  readonly left: number;
  readonly reservedForExports: number;
  readonly reservedForCalls: number;
  readonly spentToday: number;
  readonly spentThisMonth: number;
}

/** @param charged market-state credits charged to this tab since the balance was read */
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
