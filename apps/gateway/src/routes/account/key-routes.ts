import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { toProtoScopes } from '../../serving/auth/grant';
import type { Call, CallContext, Handler } from '../../serving/handlers/handler';
import { parseInstant } from '../../serving/validation/instant';
import { accountAnswer } from '../../serving/answers/account-answer';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { grantOf } from '../../serving/handlers/grant-of';
import { showKey } from './show-key';

/** Time for which a rotated key still opens unless the caller says otherwise, seconds. */
const OVERLAP_SECONDS = 86_400;

const SHOWN_ONCE = 'This is the only time that the whole key is shown.';

/** Milliseconds since the epoch; 0 for empty, which means never. */
function endOf(text: string): number {
  return text === '' ? 0 : (parseInstant(text) ?? 0);
}

export function listKeys({ keys, now }: AccountDeps): Handler<'listKeys'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const page = await fromAccount(keys.call.listKeys({ tenantId: grantOf(call).tenantId, limit, cursor }));
    const rows = page.keys.map((record) => showKey(record, now()));
    return accountAnswer(
      call,
      { rows, row_total: rows.length, next_cursor: page.nextCursor === '' ? null : page.nextCursor },
      'Keys of the tenant, newest first.',
    );
  };
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
        expiresTsMs: endOf(body.expires_at),
        credentialDigest: digestOf(call),
        ...call.ownTry,
      }),
    );
    return accountAnswer(call, { key: made.key, record: showKey(made.record, now()) }, SHOWN_ONCE);
  };
}

/** Of the credential that asks, which account reads again: it may have ended since. */
function digestOf({ credential }: CallContext): Buffer | undefined {
  return credential === null ? undefined : secretDigest(credential.secret);
}

/** Changes a key, or makes its successor. */
export function updateKey(deps: AccountDeps): Handler<'updateKey'> {
  return (call) => (call.input.body.rotate === true ? rotate(deps, call) : change(deps, call));
}

async function change({ keys, now }: AccountDeps, call: Call<'updateKey'>) {
  const { name, scopes, expires_at } = call.input.body;
  const { key } = await fromAccount(
    keys.call.updateKey({
      tenantId: grantOf(call).tenantId,
      keyId: call.input.path.key_id,
      name,
      scopes: toProtoScopes(scopes ?? []),
      expiresTsMs: expires_at === undefined ? undefined : endOf(expires_at),
      credentialDigest: digestOf(call),
    }),
  );
  return accountAnswer(call, { record: showKey(key, now()) }, 'The key is changed.');
}

async function rotate({ keys, now }: AccountDeps, call: Call<'updateKey'>) {
  const { overlap_seconds: overlapSeconds = OVERLAP_SECONDS } = call.input.body;
  const answer = await fromAccount(
    keys.call.rotateKey({
      tenantId: grantOf(call).tenantId,
      keyId: call.input.path.key_id,
      overlapMs: overlapSeconds * 1_000,
      credentialDigest: digestOf(call),
    }),
  );
  return accountAnswer(
    call,
    { key: answer.key, record: showKey(answer.created, now()), ending: showKey(answer.ending, now()) },
    SHOWN_ONCE,
  );
}

export function revokeKey({ keys }: AccountDeps): Handler<'revokeKey'> {
  return async (call) => {
    const keyId = call.input.path.key_id;
    await fromAccount(keys.call.revokeKey({ tenantId: grantOf(call).tenantId, keyId }));
    return accountAnswer(call, { key_id: keyId, revoked: true }, 'The key is revoked.');
  };
}

/** A sandbox key for anyone, within the share of the caller's address. */
export function createSandboxKey({ keys, now }: AccountDeps): Handler<'createSandboxKey'> {
  return async (call) => {
    const made = await fromAccount(keys.call.issueSandboxKey({ address: call.address }));
    return accountAnswer(call, { key: made.key, record: showKey(made.record, now()), calls: made.calls, delay_seconds: 600 }, SHOWN_ONCE);
  };
}
