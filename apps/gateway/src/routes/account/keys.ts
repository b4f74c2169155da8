import { account } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { rateOfKey } from '@market-state/pricing';
import { accountAnswer, rowsPage } from '../../serving/answers/account-answer';
import { grantOf, type Handler, type Call } from '../../serving/answers/handler';
import { type AccountDeps, credentialDigestOf, fromAccount } from './account-deps';
import { toProtoScopes, fromProtoScopes } from '../../serving/auth/credentials';
import type { Described } from '../../serving/openapi/document';
import { parseInstant, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import { showCeiling } from '../../serving/answers/show-billing';

function stateOf({ revokedTsMs, expiresTsMs }: account.KeyRecord, nowMs: number): Described<'KeyRecord'>['state'] {
  if (revokedTsMs !== 0) return 'revoked';
  return expiresTsMs !== 0 && expiresTsMs <= nowMs ? 'expired' : 'active';
}

function showRate(callsPerMinute: number | undefined): Described<'KeyRate'> {
  return callsPerMinute === undefined ? null : { calls_per_minute: callsPerMinute, calls_at_once: rateOfKey(callsPerMinute).burst };
}

/** Public view of a key; never includes the secret. */
export function showKey(record: account.KeyRecord | undefined, nowMs: number): Described<'KeyRecord'> {
  if (record === undefined) throw internal({ detail: 'account returned no key record' });
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

const KEY_SHOWN_ONCE = 'Store this key now: it is not shown again.';

/** Returns milliseconds since the epoch; 0 (never) for an empty text. */
function expiryOf(text: string): number {
  return text === '' ? 0 : (parseInstant(text) ?? 0);
}

/** Returns undefined if the body has no ceiling or null. */
function ceilingOf(ceiling: Described<'CreditCeilingRequest'> | undefined): account.CreditCeiling | undefined {
  return ceiling === undefined || ceiling === null ? undefined : { credits: ceiling.credits, windowSeconds: ceiling.window_seconds };
}

function rateOf(rate: Described<'KeyRateRequest'> | undefined): number | undefined {
  return rate?.calls_per_minute;
}

export function createKey({ keys, now }: AccountDeps): Handler<'createKey'> {
  return async (call) => {
    const body = call.input.body;
    const made = await fromAccount(
      keys.call.createKey({
        tenantId: grantOf(call).tenantId,
        name: body.name,
        kind: body.kind === 'test' ? account.KeyKind.TEST : account.KeyKind.LIVE,
        scopes: toProtoScopes(body.scopes),
        expiresTsMs: expiryOf(body.expires_at),
        creditCeiling: ceilingOf(body.credit_ceiling),
        callsPerMinute: rateOf(body.rate_limit),
        credentialDigest: credentialDigestOf(call),
        ...call.ownTry,
      }),
    );
    return accountAnswer(call, { key: made.key, record: showKey(made.record, now()) }, KEY_SHOWN_ONCE);
  };
}

/** Needs no credential; limited per client address. */
export function createSandboxKey({ keys, now }: AccountDeps): Handler<'createSandboxKey'> {
  return async (call) => {
    const made = await fromAccount(keys.call.issueSandboxKey({ address: call.address() }));
    return accountAnswer(
      call,
      { key: made.key, record: showKey(made.record, now()), calls: made.calls, delay_seconds: 600 },
      KEY_SHOWN_ONCE,
    );
  };
}

export function listKeys({ keys, now }: AccountDeps): Handler<'listKeys'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const page = await fromAccount(keys.call.listKeys({ tenantId: grantOf(call).tenantId, limit, cursor }));
    const rows = page.keys.map((record) => showKey(record, now()));
    return accountAnswer(call, rowsPage(rows, page.nextCursor), 'Keys of this tenant, newest first.');
  };
}

/** Default time for which a rotated key remains valid. */
const OVERLAP_SECONDS = 86_400;

/** Removes a key's ceiling. */
const NO_CEILING = { credits: 0, windowSeconds: 0 };

/** Removes a key's rate limit. */
const NO_RATE = 0;

/** Changes a key, or rotates it. */
export function updateKey(deps: AccountDeps): Handler<'updateKey'> {
  return (call) => (call.input.body.rotate === true ? rotate(deps, call) : change(deps, call));
}

async function change({ keys, now }: AccountDeps, call: Call<'updateKey'>) {
  const { name, scopes, expires_at, credit_ceiling, rate_limit } = call.input.body;
  const { key } = await fromAccount(
    keys.call.updateKey({
      tenantId: grantOf(call).tenantId,
      keyId: call.input.path.key_id,
      name,
      scopes: toProtoScopes(scopes ?? []),
      expiresTsMs: expires_at === undefined ? undefined : expiryOf(expires_at),
      creditCeiling: credit_ceiling === null ? NO_CEILING : ceilingOf(credit_ceiling),
      callsPerMinute: rate_limit === null ? NO_RATE : rateOf(rate_limit),
      credentialDigest: credentialDigestOf(call),
    }),
  );
  return accountAnswer(call, { record: showKey(key, now()) }, 'Key updated.');
}

async function rotate({ keys, now }: AccountDeps, call: Call<'updateKey'>) {
  const { overlap_seconds: overlapSeconds = OVERLAP_SECONDS } = call.input.body;
  const answer = await fromAccount(
    keys.call.rotateKey({
      tenantId: grantOf(call).tenantId,
      keyId: call.input.path.key_id,
      overlapMs: overlapSeconds * 1_000,
      credentialDigest: credentialDigestOf(call),
    }),
  );
  return accountAnswer(
    call,
    { key: answer.key, record: showKey(answer.created, now()), ending: showKey(answer.ending, now()) },
    KEY_SHOWN_ONCE,
  );
}

export function revokeKey({ keys }: AccountDeps): Handler<'revokeKey'> {
  return async (call) => {
    const keyId = call.input.path.key_id;
    await fromAccount(keys.call.revokeKey({ tenantId: grantOf(call).tenantId, keyId, credentialDigest: credentialDigestOf(call) }));
    return accountAnswer(call, { key_id: keyId, revoked: true }, 'Key revoked.');
  };
}
