import { account } from '@market-state/contracts';
import { toUtc, toUtcOrNull } from '../../../serving/meta/utc';
import type { Described } from '../../../serving/openapi/described';
import { documentedWord } from '../../../serving/openapi/documented-word';

const KINDS = [
  { kind: account.CreditKind.MARKET_STATE, name: 'market_state' },
  { kind: account.CreditKind.EXPORT, name: 'export' },
] as const;

/** Balances of both kinds. Credits that this gateway holds for no call yet count as available. */
export function showBalances(balances: readonly account.Balance[], unused: number): Described<'CreditBalance'>[] {
  return KINDS.map(({ kind, name }) => {
    const found = balances.find((balance) => balance.kind === kind);
    const own = kind === account.CreditKind.MARKET_STATE ? Math.min(unused, found?.held ?? 0) : 0;
    return {
      credit_kind: name,
      available: (found?.available ?? 0) + own,
      held: (found?.held ?? 0) - own,
      spent_today: found?.spentToday ?? 0,
      spent_this_month: found?.spentThisMonth ?? 0,
    };
  });
}

const sourceNamed = documentedWord('CreditGrant', 'source');

/** Grants in the order in which they are used. */
export function showGrants(grants: readonly account.Grant[]): Described<'CreditGrant'>[] {
  return grants.map(({ grantId, source, kind, amount, left, grantedTsMs, expiresTsMs }) => ({
    grant_id: grantId,
    source: sourceNamed(source),
    credit_kind: kind === account.CreditKind.EXPORT ? 'export' : 'market_state',
    amount,
    left,
    granted_at_utc: toUtc(grantedTsMs),
    expires_at_utc: toUtcOrNull(expiresTsMs),
  }));
}
