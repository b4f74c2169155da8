import { account } from '@market-state/contracts';
import { MEMBER_ROLES, type MemberRole } from '@market-state/credentials';
import { internal } from '@market-state/errors';
import { findPlan, limitsOf, type PlanLimits, rateOfKey } from '@market-state/pricing';
import type { Rate } from '../limits/pace';
import type { AuthState } from '../meta/meta';
import type { Scope } from '../openapi/document';

export interface Credential {
  readonly kind: 'key' | 'session';
  /** The whole key, or the session as in the cookie. */
  readonly secret: string;
}

interface GrantPlan {
  readonly planId: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly limits: PlanLimits;
  readonly paying: boolean;
}

interface OwnRate extends Rate {
  /** Shared by the key and its successors; changes with the rate. */
  readonly bucket: string;
}

export interface Grant {
  readonly kind: 'key' | 'session';
  readonly keyId: string | null;
  readonly accountId: string | null;
  readonly tenantId: string;
  readonly sandbox: boolean;
  /** A session has all scopes. */
  readonly scopes: ReadonlySet<Scope>;
  /** Role of the session's account; null for a key, which has scopes only. */
  readonly role: MemberRole | null;
  readonly plan: GrantPlan;
  readonly hasCeiling: boolean;
  /** Null: only the plan's rate applies. */
  readonly ownRate: OwnRate | null;
  /** Milliseconds since the epoch; Infinity for no end. */
  readonly expiresMs: number;
}

const WIRE_SCOPES: Readonly<Record<Scope, account.Scope>> = {
  read: account.Scope.READ,
  export: account.Scope.EXPORT,
  automation: account.Scope.AUTOMATION,
  account: account.Scope.ACCOUNT,
};

/** Every scope, in display order. */
export const SCOPES = Object.keys(WIRE_SCOPES) as readonly Scope[];

/** Ignores scopes unknown to this version. */
export function fromProtoScopes(scopes: readonly account.Scope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(WIRE_SCOPES[scope]));
}

export function toProtoScopes(scopes: readonly Scope[]): account.Scope[] {
  return scopes.map((scope) => WIRE_SCOPES[scope]);
}

const WIRE_ROLES = {
  owner: account.MemberRole.OWNER,
  member: account.MemberRole.MEMBER,
  read_only: account.MemberRole.READ_ONLY,
} as const satisfies Record<MemberRole, account.MemberRole>;

export function toProtoRole(role: MemberRole): account.MemberRole {
  return WIRE_ROLES[role];
}

/** The release before roles, whose accounts are owners, sends none. A role unknown to this version is read-only. */
export function fromProtoRole(role: account.MemberRole): MemberRole {
  if (role === account.MemberRole.UNSPECIFIED) return 'owner';
  return MEMBER_ROLES.find((name) => WIRE_ROLES[name] === role) ?? 'read_only';
}

/** @throws {ServiceError} INTERNAL without a plan */
function fromProtoPlan(plan: account.Plan | undefined): GrantPlan {
  if (plan === undefined) throw internal({ detail: 'account returned a grant without a plan' });
  const { planId, ratePerSecond: perSecond, burst } = plan;
  return { planId, perSecond, burst, limits: limitsOf(planId), paying: findPlan(planId)?.paying ?? false };
}

function fromProtoRate(rate: account.KeyRate | undefined): OwnRate | null {
  return rate === undefined ? null : { ...rateOfKey(rate.callsPerMinute), bucket: `${rate.keyId}/${rate.callsPerMinute}` };
}

export function fromKeyGrant(grant: account.KeyGrant): Grant {
  return {
    kind: 'key',
    keyId: grant.keyId,
    accountId: null,
    tenantId: grant.tenantId,
    sandbox: grant.kind !== account.KeyKind.LIVE,
    scopes: new Set(fromProtoScopes(grant.scopes)),
    role: null,
    plan: fromProtoPlan(grant.plan),
    hasCeiling: grant.hasCreditCeiling,
    ownRate: fromProtoRate(grant.ownRate),
    expiresMs: grant.expiresTsMs === 0 ? Number.POSITIVE_INFINITY : grant.expiresTsMs,
  };
}

/** Ends at the session's hard expiry or its idle timeout, whichever is first. */
export function fromSessionGrant(grant: account.SessionGrant): Grant {
  return {
    kind: 'session',
    keyId: null,
    accountId: grant.accountId,
    tenantId: grant.tenantId,
    sandbox: false,
    scopes: new Set(SCOPES),
    role: fromProtoRole(grant.role),
    plan: fromProtoPlan(grant.plan),
    hasCeiling: false,
    ownRate: null,
    expiresMs: Math.min(grant.expiresTsMs, grant.idleTsMs),
  };
}

export function authStateOf(grant: Grant | null): AuthState {
  if (grant === null) return 'pre_key_public';
  return grant.kind === 'key' ? 'api_key' : 'account_session';
}

export function callerOf({ tenantId, keyId, accountId }: Grant): account.Caller {
  return { tenantId, keyId: keyId ?? '', accountId: accountId ?? '' };
}
