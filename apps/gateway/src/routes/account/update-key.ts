import { accountAnswer } from '../../serving/answers/account-answer';
import { toProtoScopes } from '../../serving/auth/grant';
import { grantOf, type Call, type Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { ceilingOf, credentialDigestOf, expiryOf, rateOf } from './key-request';
import { KEY_SHOWN_ONCE, showKey } from './show-key';

/** Time for which a rotated key still opens unless the caller says otherwise, seconds. */
const OVERLAP_SECONDS = 86_400;

/** Takes the ceiling of a key away. */
const NO_CEILING = { credits: 0, windowSeconds: 0 };

/** Takes the rate of a key away. */
const NO_RATE = 0;

/** Changes a key, or makes its successor. */
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
  return accountAnswer(call, { record: showKey(key, now()) }, 'The key is changed.');
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
