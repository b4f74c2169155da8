import { account } from '@market-state/contracts';
import { MEMBER_ROLES, type MemberRole } from '@market-state/credentials';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { findPlan } from '@market-state/pricing';
import { digestFaults, lengthFaults, refuseFaults } from '@market-state/request-checks';
import type { OpenedSession } from '../../accounts/deps';
import type { PlanTerms } from '../../credits/plan-terms';
import type { Renewal } from '../../credits/calendar';
import { SESSION_IDLE_MS } from '../../accounts/sessions';
import type { SessionOfAccount } from '../../store/sessions';
import { networkOf } from '../../accounts/network';
import type { PasswordCaller } from '../../accounts/password-work';

export function readNetwork(address: string): { readonly network: string; readonly faults: Fault[] } {
  const network = networkOf(address);
  if (network !== null) return { network, faults: [] };
  return { network: '', faults: [{ field: 'address', message: 'must be an IPv4 or IPv6 address', type: 'malformed' }] };
}

const PASSWORD_LENGTH_MAX = 256;

/** Faults of an existing password, which may break newer rules. */
export function givenPasswordFaults(field: string, password: string): Fault[] {
  return lengthFaults(field, password, 1, PASSWORD_LENGTH_MAX);
}

/** Unknown until its address or token is looked up. */
export function callerOf(network: string, { signal, deadlineMs }: CallContext): PasswordCaller {
  return { isKnown: false, network, signal, deadlineMs };
}

/** Checks a request with a session; `faults` are those of its other fields. */
export function readSessionCaller(
  { sessionDigest, address }: { readonly sessionDigest: Uint8Array; readonly address: string },
  context: CallContext,
  faults: readonly Fault[],
): PasswordCaller {
  checkSessionDigest(sessionDigest);
  const { network, faults: addressFaults } = readNetwork(address);
  refuseFaults([...faults, ...addressFaults]);
  return callerOf(network, context);
}

/** @throws ServiceError INVALID_ARGUMENT unless it is a SHA-256 digest */
export function checkSessionDigest(digest: Uint8Array): void {
  refuseFaults(digestFaults('session_digest', digest));
}

const ROLES = {
  owner: account.MemberRole.OWNER,
  member: account.MemberRole.MEMBER,
  read_only: account.MemberRole.READ_ONLY,
} as const satisfies Record<MemberRole, account.MemberRole>;

export function toProtoRole(role: MemberRole): account.MemberRole {
  return ROLES[role];
}

/** Undefined for a role unknown to this version. */
export function fromProtoRole(role: account.MemberRole): MemberRole | undefined {
  return MEMBER_ROLES.find((name) => ROLES[name] === role);
}

export function toProtoSessionGrant(session: SessionOfAccount): account.SessionGrant {
  return {
    accountId: session.accountId,
    tenantId: session.tenantId,
    plan: toProtoPlan(session.planId),
    expiresTsMs: session.expiresTsMs,
    idleTsMs: session.lastUsedTsMs + SESSION_IDLE_MS,
    role: toProtoRole(session.role),
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

export function toProtoPlan(planId: string | null): account.Plan | undefined {
  const plan = planId === null ? undefined : findPlan(planId);
  return plan === undefined ? undefined : { planId: plan.planId, ratePerSecond: plan.rate.perSecond, burst: plan.rate.burst };
}
