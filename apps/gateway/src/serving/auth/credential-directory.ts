import type { account } from '@market-state/contracts';
import { isSecret, keyDigest, parseKey, secretDigest } from '@market-state/credentials';
import type { GrpcClient } from '@market-state/grpc';
import { type Closable, createConcurrencyLimit, delay, runUntilClosed, type ConcurrencyLimit } from '@market-state/lifecycle';
import { type Logger, currentRequestId, requestIdOr, withRequestContext } from '@market-state/logging';
import { isServiceError } from '@market-state/errors';
import { Problem } from '../errors/problem';
import type { RefusedCredentials } from '../limits/pace';
import {
  type Credential,
  fromKeyGrant,
  fromSessionGrant,
  type Grant,
  createKnownCredentials,
  createUnknownCredentials,
  type CredentialWatch,
  digestHex,
  type KnownCredential,
  watchCredentials,
  type KnownCredentials,
  type UnknownCredentials,
} from './credentials';

/** Interval of reports to account, in milliseconds. */
const REPORT_EVERY_MS = 15_000;
const USES_MAX = 1_000;

interface KeyUses extends Closable {
  /** Reported to account within 15 s. */
  note(keyId: string): void;
}

interface KeyUsesDeps {
  readonly keys: { readonly call: Pick<GrpcClient<account.KeyServiceService>['call'], 'noteKeyUses'> };
  readonly logger: Logger;
  readonly now: () => number;
  readonly reportEveryMs?: number;
}

/** Reports uses of cached keys to account; failed reports are retried. */
export function createKeyUses({ keys, logger, now, reportEveryMs = REPORT_EVERY_MS }: KeyUsesDeps): KeyUses {
  let uses = new Map<string, number>();

  async function report(): Promise<void> {
    const taken = [...uses].map(([keyId, usedTsMs]) => ({ keyId, usedTsMs }));
    uses = new Map();
    for (let from = 0; from < taken.length; from += USES_MAX) {
      const part = taken.slice(from, from + USES_MAX);
      await keys.call.noteKeyUses({ uses: part }).catch((error: unknown) => {
        logger.warn({ err: error }, 'last uses of keys not reported yet');
        for (const { keyId, usedTsMs } of part) if (!uses.has(keyId)) uses.set(keyId, usedTsMs);
      });
    }
  }

  const telling = runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      await delay(reportEveryMs, signal).catch(() => undefined);
      await report();
    }
  });

  return {
    note: (keyId) => void uses.set(keyId, now()),
    close: () => telling.close(),
  };
}

interface CredentialKind {
  readonly kind: Credential['kind'];
  readonly isWellFormed: (secret: string) => boolean;
  readonly ask: (secret: string) => Promise<Grant | null>;
  readonly onAccepted: (grant: Grant) => void;
  /** Maximum age of a trusted grant in milliseconds; default until it ends. */
  readonly grantMsMax?: number;
}

/** Age up to which a look-up in flight is shared, in milliseconds. */
const JOINED_MS = 250;
/** Retries for accepted credentials while account is unavailable, in milliseconds. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 100;
const AWAY: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED']);

interface LookUpLimits {
  readonly seen: ConcurrencyLimit;
  readonly unseen: ConcurrencyLimit;
}

interface LookUpDeps {
  readonly known: KnownCredentials;
  readonly unknown: UnknownCredentials;
  readonly limits: LookUpLimits;
  readonly refused: RefusedCredentials;
  readonly watch: Pick<CredentialWatch, 'generation'>;
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly isWellFormed: (secret: string) => boolean;
  readonly ask: (secret: string) => Promise<Grant | null>;
  readonly onAccepted: (grant: Grant) => void;
}

/**
 * Null if refused. `address` counts refusals; undefined for a credential already in use.
 * @throws {Problem} 429 for an address over its limit, 503 if too many look-ups are pending
 * @throws {ServiceError} if account cannot answer
 */
type LookUp = (secret: string, address?: string) => Promise<Grant | null>;

interface UnderWay {
  readonly latest: { requestedAtMs: number };
  readonly generation: number;
  readonly grant: Promise<Grant | null>;
}

/** Accepted credentials go ahead of new ones, so that a flood of unknown ones cannot block them. */
function createLookUp(deps: LookUpDeps): LookUp {
  const { known, unknown, limits, refused, watch, now, monotonicMs, isWellFormed, ask, onAccepted } = deps;
  const underWay = new Map<string, UnderWay>();

  /** Accepted credentials wait for account to recover; others get two attempts. */
  async function askPatiently(secret: string, digest: string, onAsk: () => void): Promise<Grant | null> {
    const startedMs = monotonicMs();
    for (let tries = 1; ; tries += 1) {
      onAsk();
      try {
        return await ask(secret);
      } catch (error) {
        const isAway = isServiceError(error) && AWAY.has(error.code);
        const isWorthIt = tries === 1 || (known.has(digest) && monotonicMs() - startedMs <= PATIENCE_MS);
        if (!isAway || !isWorthIt) throw error;
      }
      await delay(AGAIN_MS);
    }
  }

  async function askOnce(secret: string, digest: string, onAsk: () => void): Promise<Grant | null> {
    const generation = watch.generation();
    const grant = await askPatiently(secret, digest, onAsk);
    if (grant === null) {
      known.delete(digest);
      unknown.add(digest, generation);
      return null;
    }
    // Only account decides on expiry: clocks differ.
    if (known.add(digest, grant, generation)) onAccepted(grant);
    return grant;
  }

  /** Independent of the first caller, who may disconnect. */
  function askTogether(secret: string, digest: string, limit: ConcurrencyLimit): Promise<Grant | null> {
    const latest = { requestedAtMs: now() };
    const generation = watch.generation();
    const other = underWay.get(digest);
    if (other !== undefined && other.generation === generation && latest.requestedAtMs - other.latest.requestedAtMs < JOINED_MS)
      return other.grant;
    const ask = (): Promise<Grant | null> => limit(() => askOnce(secret, digest, () => (latest.requestedAtMs = now())));
    const grant = withRequestContext({ requestId: requestIdOr(currentRequestId()) }, ask).finally(() => {
      if (underWay.get(digest)?.grant === grant) underWay.delete(digest);
    });
    underWay.set(digest, { latest, generation, grant });
    return grant;
  }

  async function find(secret: string, digest: string): Promise<Grant | null> {
    if (known.has(digest)) return askTogether(secret, digest, limits.seen);
    return unknown.has(digest) ? null : askTogether(secret, digest, limits.unseen);
  }

  return async (secret, address) => {
    const digest = isWellFormed(secret) ? digestHex(secret) : null;
    const remembered = digest === null ? null : known.grant(digest);
    if (remembered !== null) return remembered;
    if (address !== undefined && (digest === null || !known.has(digest))) refused.refuseWhileOver(address);
    const grant = digest === null ? null : await find(secret, digest);
    if (grant === null && address !== undefined) await refused.count(address);
    return grant;
  };
}

interface DirectoryDeps {
  readonly watch: CredentialWatch;
  readonly limits: LookUpLimits;
  readonly refused: RefusedCredentials;
  readonly now: () => number;
  readonly monotonicMs: () => number;
}

interface KindDirectory {
  /** Null if the credential must be looked up. One repeated on its last connection is not hashed again. */
  remembered(secret: string, connection: object): Grant | null;
  verify: LookUp;
}

/** Grants are cached until account reports a change. */
function createKindDirectory({ grantMsMax, ...of }: CredentialKind, deps: DirectoryDeps): KindDirectory {
  const last = new WeakMap<object, { readonly secret: string; readonly found: KnownCredential }>();
  const known = createKnownCredentials({ kind: of.kind, watch: deps.watch, now: deps.now, grantMsMax });

  return {
    remembered(secret, connection) {
      const before = last.get(connection);
      if (before !== undefined && before.secret === secret) {
        const grant = before.found.grant();
        if (grant !== null) return grant;
      }
      const found = of.isWellFormed(secret) ? known.find(digestHex(secret)) : null;
      if (found === null) return null;
      last.set(connection, { secret, found });
      return found.grant();
    },
    verify: createLookUp({ ...deps, ...of, known, unknown: createUnknownCredentials({ ...deps, kind: of.kind }) }),
  };
}

/** Keeps a session in use from expiring as idle, in milliseconds. */
const REPORT_USE_EVERY_MS = 60_000;

/** Together with those below, within one client's limit of calls in flight. */
const SEEN_AT_ONCE = 80;
const SEEN_LIMITS = { waitingMax: 2_000, waitMsMax: 2_000, refusal: tooMany } as const;
const UNSEEN_AT_ONCE = 10;
const UNSEEN_LIMITS = { waitingMax: 100, waitMsMax: 1_000, refusal: tooMany } as const;

function tooMany(): Problem {
  return new Problem('overloaded', 'Too many credentials are being looked up. Retry. Nothing was charged.', {
    headers: { 'Retry-After': '1' },
  });
}

export interface CredentialDirectory extends CredentialWatch {
  /** Null if the credential must be looked up. */
  remembered(credential: Credential, connection: object): Grant | null;
  /**
   * Null if refused. With an address, refusals count against it.
   * @throws {Problem} 429 or 503 at the look-up limits; {ServiceError} if account cannot answer
   */
  verify(credential: Credential, address?: string): Promise<Grant | null>;
}

interface CredentialDirectoryDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly keyLookUps: GrpcClient<account.KeyServiceService>;
  readonly sessionLookUps: GrpcClient<account.AccountServiceService>;
  readonly refused: RefusedCredentials;
  readonly logger: Logger;
  readonly now: () => number;
  readonly monotonicMs: () => number;
}

export function createCredentialDirectory({
  keys,
  keyLookUps,
  sessionLookUps,
  refused,
  logger,
  now,
  monotonicMs,
}: CredentialDirectoryDeps): CredentialDirectory {
  const watch = watchCredentials({ keys, logger, monotonicMs });
  const limits = { seen: createConcurrencyLimit(SEEN_AT_ONCE, SEEN_LIMITS), unseen: createConcurrencyLimit(UNSEEN_AT_ONCE, UNSEEN_LIMITS) };
  const common = { watch, limits, refused, now, monotonicMs };
  const directories: Readonly<Record<Credential['kind'], KindDirectory>> = {
    key: createKindDirectory(
      {
        kind: 'key',
        isWellFormed: (key) => parseKey(key) !== null,
        async ask(key) {
          const { grant } = await keyLookUps.call.verifyKey({ keyDigest: keyDigest(key) });
          return grant === undefined ? null : fromKeyGrant(grant);
        },
        onAccepted: ({ keyId, tenantId }) => logger.info({ key_id: keyId, tenant_id: tenantId }, 'key accepted'),
      },
      common,
    ),
    // Cached for a minute at most, and never past the session's end.
    session: createKindDirectory(
      {
        kind: 'session',
        isWellFormed: isSecret,
        async ask(session) {
          const { grant } = await sessionLookUps.call.verifySession({ sessionDigest: secretDigest(session) });
          return grant === undefined ? null : fromSessionGrant(grant);
        },
        onAccepted: ({ accountId, tenantId }) => logger.info({ account_id: accountId, tenant_id: tenantId }, 'session accepted'),
        grantMsMax: REPORT_USE_EVERY_MS,
      },
      common,
    ),
  };
  const uses = createKeyUses({ keys, logger, now });

  function used(grant: Grant | null): Grant | null {
    if (grant !== null && grant.keyId !== null) uses.note(grant.keyId);
    return grant;
  }

  return {
    ...watch,
    remembered: ({ kind, secret }, connection) => used(directories[kind].remembered(secret, connection)),
    async verify({ kind, secret }, address) {
      return used(await directories[kind].verify(secret, address));
    },
    async close() {
      await uses.close();
      await watch.close();
    },
  };
}
