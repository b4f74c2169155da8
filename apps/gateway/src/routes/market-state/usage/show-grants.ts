import { account } from '@market-state/contracts';
import { toUtc, toUtcOrNull } from '../../../serving/meta/instant';
import { type Described, documentedWord } from '../../../serving/openapi/described';

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
