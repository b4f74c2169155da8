import type { account } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { toUtc } from '../../serving/meta/instant';
import type { CallContext, Reply } from '../../serving/answers/handler';
import { accountAnswer } from '../../serving/answers/account-answer';
import { showPlan } from '../../serving/answers/show-billing';
import type { SessionCookie } from './session-cookie';
import type { Described } from '../../serving/openapi/described';

/** The answer that opens a session: who it is for, until when, and the cookie. The session itself is in the cookie alone. */
export function sessionOpened(
  call: CallContext,
  cookie: SessionCookie,
  opened: account.SessionOpened | undefined,
): Reply<Described<'AccountSession'>> {
  return withSession(call, cookie, opened, {});
}

/** As `sessionOpened`, with `further` fields. */
export function withSession<T extends object>(
  call: CallContext,
  cookie: SessionCookie,
  opened: account.SessionOpened | undefined,
  further: T,
): Reply<T & Described<'AccountSession'>> {
  const { grant, terms, session = '' } = opened ?? {};
  if (grant === undefined || session === '') throw internal({ detail: 'account opened a session without telling it' });
  const fields = {
    ...further,
    account_id: grant.accountId,
    tenant_id: grant.tenantId,
    plan: showPlan(grant.plan, terms),
    session_expires_utc: toUtc(grant.expiresTsMs),
    session_idle_until_utc: toUtc(grant.idleTsMs),
  };
  const answer = accountAnswer(call, fields, 'The session is open.');
  return { ...answer, headers: { 'Set-Cookie': cookie.set(session, grant.expiresTsMs) } };
}
