import { account } from '@market-state/contracts';
import { MEMBER_ROLES, type MemberRole } from '@market-state/credentials';
import { internal } from '@market-state/errors';
import { findPlan, limitsOf, type PlanLimits, rateOfKey } from '@market-state/pricing';
import { hash } from 'node:crypto';
import { followStream, type GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { LRUCache } from 'lru-cache';
import { type Rate, atMost } from '../limits/pace';
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

/** The one-shot call costs a sixth of a hash object. */
export function digestHex(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Silence on the change stream after which grants are not trusted, in milliseconds. */
const WATCH_SILENCE_MS = 3_000;

/** Digests are hex; `all` invalidates every grant. */
export type CredentialChange =
  | { readonly kind: 'key' | 'session'; readonly digestHex: string }
  | { readonly kind: 'tenant'; readonly tenantId: string }
  | { readonly kind: 'all' };

export interface CredentialWatch {
  isWatching(): boolean;
  /** Increases with every change: a grant requested before must not be cached. */
  generation(): number;
  /** Returns the unsubscribe function. */
  onChange(listener: (change: CredentialChange) => void): () => void;
  close(): Promise<void>;
}

interface CredentialWatchDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
}

type WatchMessage = account.WatchKeysResponse['message'];

function changeOf(message: WatchMessage): CredentialChange | null {
  switch (message?.$case) {
    case 'changed':
      return { kind: 'key', digestHex: message.value.keyDigest.toString('hex') };
    case 'sessionEnded':
      return { kind: 'session', digestHex: message.value.sessionDigest.toString('hex') };
    case 'tenantChanged':
      return { kind: 'tenant', tenantId: message.value.tenantId };
    default:
      return null;
  }
}

/** Reported by account within a second. */
export function watchCredentials({ keys, logger, monotonicMs }: CredentialWatchDeps): CredentialWatch {
  const listeners = new Set<(change: CredentialChange) => void>();
  let heardMs = Number.NEGATIVE_INFINITY;
  let generation = 0;

  function report(change: CredentialChange): void {
    generation += 1;
    for (const listener of listeners) listener(change);
  }

  const stream = followStream<account.WatchKeysResponse>({
    open: (signal) => keys.call.watchKeys({}, { signal, idleLimitMs: WATCH_SILENCE_MS }),
    // Changes made while the stream was down are not replayed.
    onUp: () => report({ kind: 'all' }),
    onDown: (error) => logger.warn({ reason: error.reason, detail: error.detail }, 'stream of credential changes is down'),
    onMessage: ({ message }) => {
      heardMs = monotonicMs();
      const change = changeOf(message);
      if (change === null) return;
      report(change);
      if (message?.$case === 'changed') logger.info({ key_id: message.value.keyId }, 'key changed');
      if (change.kind === 'tenant') logger.info({ tenant_id: change.tenantId }, 'tenant changed');
    },
  });

  return {
    isWatching: () => monotonicMs() - heardMs <= WATCH_SILENCE_MS,
    generation: () => generation,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => stream.close(),
  };
}

/** Milliseconds. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 20_000;

export interface UnknownCredentials {
  has(digestHex: string): boolean;
  /** Ignored if anything has changed since the request. */
  add(digestHex: string, requestedGeneration: number): void;
}

interface UnknownCredentialsDeps {
  readonly kind: 'key' | 'session';
  readonly watch: Pick<CredentialWatch, 'generation' | 'onChange'>;
  readonly monotonicMs: () => number;
}

/** Also cleared when account reports a change that may have made them known. */
export function createUnknownCredentials({ kind, watch, monotonicMs }: UnknownCredentialsDeps): UnknownCredentials {
  const until = new LRUCache<string, number>(atMost(UNKNOWN_MAX));

  watch.onChange((change) => {
    if (!('digestHex' in change)) until.clear();
    else if (change.kind === kind) until.delete(change.digestHex);
  });

  return {
    has: (digestHex) => (until.get(digestHex) ?? Number.NEGATIVE_INFINITY) > monotonicMs(),
    add(digestHex, requestedGeneration) {
      if (watch.generation() === requestedGeneration) until.set(digestHex, monotonicMs() + UNKNOWN_MS);
    },
  };
}

const KNOWN_MAX = 20_000;

export interface KnownCredential {
  /** Null once ended or changed, or while the change stream is down. */
  grant(): Grant | null;
}

/** Refused credentials are cached elsewhere, so that they evict none of these. */
export interface KnownCredentials {
  has(digestHex: string): boolean;
  find(digestHex: string): KnownCredential | null;
  grant(digestHex: string): Grant | null;
  /** True if the grant can be trusted: nothing has changed since the request. */
  add(digestHex: string, grant: Grant, requestedGeneration: number): boolean;
  delete(digestHex: string): void;
}

interface KnownCredentialsDeps {
  readonly kind: 'key' | 'session';
  readonly watch: CredentialWatch;
  readonly now: () => number;
  /** Maximum age of a trusted grant in milliseconds; default until it ends. */
  readonly grantMsMax?: number;
}

interface Entry {
  /** Null once it may have changed. */
  grant: Grant | null;
  readonly untilMs: number;
}

/** A reconnect drops all grants, but remembers that their credentials were accepted. */
export function createKnownCredentials({
  kind,
  watch,
  now,
  grantMsMax = Number.POSITIVE_INFINITY,
}: KnownCredentialsDeps): KnownCredentials {
  const known = new LRUCache<string, Entry>({ ...atMost(KNOWN_MAX), dispose: distrust });

  watch.onChange((change) => {
    if ('digestHex' in change) {
      const entry = change.kind === kind ? known.peek(change.digestHex) : undefined;
      if (entry !== undefined) distrust(entry);
      return;
    }
    for (const entry of known.values()) if (change.kind === 'all' || entry.grant?.tenantId === change.tenantId) distrust(entry);
  });

  const grantOf = ({ grant, untilMs }: Entry): Grant | null => (grant !== null && watch.isWatching() && untilMs > now() ? grant : null);

  return {
    has: (digestHex) => known.has(digestHex),
    find(digestHex) {
      const entry = known.get(digestHex);
      return entry === undefined ? null : { grant: () => grantOf(entry) };
    },
    grant(digestHex) {
      const entry = known.get(digestHex);
      return entry === undefined ? null : grantOf(entry);
    },
    add(digestHex, grant, requestedGeneration) {
      const isTrusted = watch.isWatching() && watch.generation() === requestedGeneration;
      known.set(digestHex, { grant: isTrusted ? grant : null, untilMs: Math.min(grant.expiresMs, now() + grantMsMax) });
      return isTrusted;
    },
    delete: (digestHex) => void known.delete(digestHex),
  };
}

function distrust(entry: Entry): void {
  entry.grant = null;
}
