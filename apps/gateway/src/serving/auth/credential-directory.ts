import type { account } from '@market-state/contracts';
import { isSecret, keyDigest, parseKey, secretDigest } from '@market-state/credentials';
import type { GrpcClient } from '@market-state/grpc';
import { type Closable, createConcurrencyLimit, delay, runUntilClosed } from '@market-state/lifecycle';
import { type Logger } from '@market-state/logging';
import { Problem } from '../errors/problem';
import type { RefusedCredentials } from '../limits/refused-credentials';
import { type Credential, fromKeyGrant, fromSessionGrant, type Grant } from './grant';
import {
  createKnownCredentials,
  createUnknownCredentials,
  type CredentialWatch,
  digestHex,
  type KnownCredential,
  watchCredentials,
} from './known-credentials';
import type { LookUpLimits, LookUp } from './look-ups';
import { createLookUp } from './look-ups';

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
