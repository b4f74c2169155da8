import { account } from '@market-state/contracts';
import type { Described } from '../openapi/described';

const KINDS = [
  { kind: account.CreditKind.MARKET_STATE, name: 'market_state' },
  { kind: account.CreditKind.EXPORT, name: 'export' },
] as const;

/** Balances of both kinds, as every answer shows them. */
export function showBalances(balances: readonly account.Balance[]): Described<'CreditBalance'>[] {
  return KINDS.map(({ kind, name }) => {
    const found = balances.find((balance) => balance.kind === kind);
    return {
      credit_kind: name,
      available: found?.available ?? 0,
      held: found?.held ?? 0,
      leased_to_gateways: found?.leasedToGateways ?? 0,
      spent_today: found?.spentToday ?? 0,
      spent_this_month: found?.spentThisMonth ?? 0,
    };
  });
}
