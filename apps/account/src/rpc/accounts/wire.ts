import { account } from '@market-state/contracts';
import type { OpenedSession } from '../../accounts/deps';
import type { PlanTerms, Renewal } from '../../credits';
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
  return {
    session: opened.secret,
    grant: toProtoSessionGrant({ ...opened, lastUsedTsMs: opened.openedTsMs }),
    ...(opened.terms === null ? {} : { terms: toProtoTerms(opened.terms) }),
  };
}

const PERIODS: Readonly<Record<Renewal, account.CreditPeriod>> = {
  none: account.CreditPeriod.IN_ALL,
  daily: account.CreditPeriod.DAY,
  monthly: account.CreditPeriod.MONTH,
};

export function toProtoTerms({ credits, renewal, renewsMs, endsMs }: PlanTerms): account.PlanTerms {
  return {
    marketStateCredits: credits.market_state,
    exportCredits: credits.export,
    creditPeriod: PERIODS[renewal],
    renewsTsMs: renewsMs ?? 0,
    endsTsMs: endsMs ?? 0,
  };
}
