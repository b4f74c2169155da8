import { account } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { findPlan, limitsOf, type PlanLimits, rateOfKey } from '@market-state/pricing';
import type { Rate } from '../limits/buckets';
import type { AuthState } from '../meta/meta';
import type { Scope } from '../openapi/document';

/** What a caller presents. */
export interface Credential {
  readonly kind: 'key' | 'session';
  /** The whole key, or the session as the cookie carries it. */
  readonly secret: string;
}

/** What a tenant has bought, as far as every call needs it. */
interface GrantPlan {
  readonly planId: string;
  /** Calls a second, and calls at once. */
  readonly perSecond: number;
  readonly burst: number;
  /** What it allows at once. */
  readonly limits: PlanLimits;
  /** Whether it is bought or agreed by contract. */
  readonly paying: boolean;
}

/** How often a key may be used. */
interface OwnRate extends Rate {
  /** Names the calls that are counted together: those of the key and its successors, anew for another rate. */
  readonly bucket: string;
}

/** What a good credential opens. */
export interface Grant {
  readonly kind: 'key' | 'session';
  /** Null for a session. */
  readonly keyId: string | null;
  /** Null for a key. */
  readonly accountId: string | null;
  readonly tenantId: string;
  /** A sandbox key, which may see delayed data only. */
  readonly sandbox: boolean;
  /** A session has all. */
  readonly scopes: ReadonlySet<Scope>;
  readonly plan: GrantPlan;
  /** Whether its calls count against a credit ceiling of the key. */
  readonly hasCeiling: boolean;
  /** A limit of the key beside that of its plan; null: none. */
  readonly ownRate: OwnRate | null;
  /** Milliseconds since the epoch; Infinity means no end. */
  readonly expiresMs: number;
}

const WIRE_SCOPES: Readonly<Record<Scope, account.Scope>> = {
  read: account.Scope.READ,
  export: account.Scope.EXPORT,
  automation: account.Scope.AUTOMATION,
  account: account.Scope.ACCOUNT,
};

/** Every scope, in the order in which they are told. */
export const SCOPES = Object.keys(WIRE_SCOPES) as readonly Scope[];

/** Scopes in public words; those that this version does not know open nothing. */
export function fromProtoScopes(scopes: readonly account.Scope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(WIRE_SCOPES[scope]));
}

export function toProtoScopes(scopes: readonly Scope[]): account.Scope[] {
  return scopes.map((scope) => WIRE_SCOPES[scope]);
}

/** @throws ServiceError INTERNAL where account told no plan: no limit and no price could be had from it */
function fromProtoPlan(plan: account.Plan | undefined): GrantPlan {
  if (plan === undefined) throw internal({ detail: 'account told a grant without its plan' });
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
    plan: fromProtoPlan(grant.plan),
    hasCeiling: grant.hasCreditCeiling,
    ownRate: fromProtoRate(grant.ownRate),
    expiresMs: grant.expiresTsMs === 0 ? Number.POSITIVE_INFINITY : grant.expiresTsMs,
  };
}

/** A session ends at its last instant, or when it was not used for too long, whatever comes first. */
export function fromSessionGrant(grant: account.SessionGrant): Grant {
  return {
    kind: 'session',
    keyId: null,
    accountId: grant.accountId,
    tenantId: grant.tenantId,
    sandbox: false,
    scopes: new Set(SCOPES),
    plan: fromProtoPlan(grant.plan),
    hasCeiling: false,
    ownRate: null,
    expiresMs: Math.min(grant.expiresTsMs, grant.idleTsMs),
  };
}

/** What `meta` says of what opened the route. */
export function authStateOf(grant: Grant | null): AuthState {
  if (grant === null) return 'pre_key_public';
  return grant.kind === 'key' ? 'api_key' : 'account_session';
}

/** The caller that a grant stands for, as account knows it. */
export function callerOf({ tenantId, keyId, accountId }: Grant): account.Caller {
  return { tenantId, keyId: keyId ?? '', accountId: accountId ?? '' };
}
