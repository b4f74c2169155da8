import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { toUtc } from '../../serving/meta/meta';
import { type AccountDeps, fromAccount, OIDC_COOKIE } from './account-deps';
import { withSession } from './sessions';

export function getSignInOptions({ people }: AccountDeps): Handler<'getSignInOptions'> {
  return async (call) => {
    const { oidcName: name } = await people.call.getSignInOptions({});
    const isOn = name !== '';
    return accountAnswer(call, { oidc: isOn ? { name } : null }, isOn ? 'A login provider is set.' : 'There is no login provider.');
  };
}

export function beginOidcLogin({ oidc, cookie }: AccountDeps): Handler<'beginOidcLogin'> {
  return async (call) => {
    const started = await fromAccount(oidc.call.beginOidcLogin({ address: call.address() }));
    const fields = { authorization_url: started.authorizationUrl, expires_utc: toUtc(started.expiresTsMs) };
    const answer = accountAnswer(call, fields, 'Go to the login provider.');
    return { ...answer, headers: { 'Set-Cookie': cookie.setOidcLogin(started.loginSecret, started.expiresTsMs) } };
  };
}

export function finishOidcLogin({ oidc, cookie }: AccountDeps): Handler<'finishOidcLogin'> {
  return async (call) => {
    const { query } = call.input.body;
    const loginSecret = call.cookie(OIDC_COOKIE) ?? '';
    const { opened } = await fromAccount(oidc.call.finishOidcLogin({ loginSecret, query, address: call.address() }));
    return withSession(call, cookie, opened, {});
  };
}
