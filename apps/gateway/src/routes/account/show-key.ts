import { account } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { rateOfKey } from '@market-state/pricing';
import { fromProtoScopes } from '../../serving/auth/grant';
import { showCeiling } from '../../serving/answers/show-billing';
import { toUtc, toUtcOrNull } from '../../serving/meta/instant';
import type { Described } from '../../serving/openapi/described';

function stateOf({ revokedTsMs, expiresTsMs }: account.KeyRecord, nowMs: number): Described<'KeyRecord'>['state'] {
  if (revokedTsMs !== 0) return 'revoked';
  return expiresTsMs !== 0 && expiresTsMs <= nowMs ? 'expired' : 'active';
}

function showRate(callsPerMinute: number | undefined): Described<'KeyRate'> {
  return callsPerMinute === undefined ? null : { calls_per_minute: callsPerMinute, calls_at_once: rateOfKey(callsPerMinute).burst };
}

/** A key as it may be shown: never the whole of it. */
export function showKey(record: account.KeyRecord | undefined, nowMs: number): Described<'KeyRecord'> {
  if (record === undefined) throw internal({ detail: 'account told no record of a key' });
  return {
    key_id: record.keyId,
    name: record.name,
    kind: record.kind === account.KeyKind.TEST ? 'test' : 'live',
    state: stateOf(record, nowMs),
    scopes: fromProtoScopes(record.scopes),
    display: `${record.displayFirst}…${record.displayLast}`,
    created_utc: toUtc(record.createdTsMs),
    expires_utc: toUtcOrNull(record.expiresTsMs),
    revoked_utc: toUtcOrNull(record.revokedTsMs),
    last_used_utc: toUtcOrNull(record.lastUsedTsMs),
    credit_ceiling: showCeiling(record.creditCeiling),
    rate_limit: showRate(record.callsPerMinute),
  };
}

/** Said where a whole key is in the answer. */
export const KEY_SHOWN_ONCE = 'This is the only time that the whole key is shown.';
