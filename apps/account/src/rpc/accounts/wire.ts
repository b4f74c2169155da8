import type { account } from '@market-state/contracts';
import type { OpenedSession } from '../../accounts/deps';
import { SESSION_IDLE_MS, type SessionOfAccount } from '../../sessions/session';
import { toProtoPlan } from '../plan';

export function toProtoSessionGrant(session: SessionOfAccount): account.SessionGrant {
  return {
    accountId: session.accountId,
    tenantId: session.tenantId,
    plan: toProtoPlan(session.planId),
    expiresTsMs: session.expiresTsMs,
    idleTsMs: session.lastUsedTsMs + SESSION_IDLE_MS,
  };
}

export function toProtoOpened(opened: OpenedSession): account.SessionOpened {
  return { session: opened.secret, grant: toProtoSessionGrant({ ...opened, lastUsedTsMs: opened.openedTsMs }) };
}
