import { keyDigest, parseKey } from '@market-state/credentials';
import { findKeyByDigest } from '../store/keys';
import type { AccountsDeps } from './deps';
import { limitedSubject, type LimitedSubject, networkSubjects } from './take-attempt';

/** What a claim with a key alone counts for. */
export interface KeyClaimSubjects {
  /** For every claim. */
  readonly address: readonly LimitedSubject[];
  /** For a claim that is refused: whoever has a tenant's keys could ask with them which emails have an account. */
  readonly tenant: readonly LimitedSubject[];
}

/** No tenant for a text that is no key, which says nothing about emails. */
export async function keyClaimSubjects(
  { pool, limits }: Pick<AccountsDeps, 'pool' | 'limits'>,
  apiKey: string,
  network: string,
): Promise<KeyClaimSubjects> {
  const key = parseKey(apiKey) === null ? null : await findKeyByDigest(pool, keyDigest(apiKey));
  return {
    address: networkSubjects('claim_key_address', network, [limits.claimKey]),
    tenant: key === null ? [] : [limitedSubject('claim_key_tenant', key.tenantId, [limits.claimKey])],
  };
}
