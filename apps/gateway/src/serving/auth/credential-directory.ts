import type { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { RefusedCredentials } from '../limits/refused-credentials';
import type { Credential } from './credential';
import { type CredentialWatch, watchCredentials } from './credential-watch';
import type { Grant } from './grant';
import { Problem } from '../errors/problem';
import { createKeyUses } from './key-uses';
import { createKeyDirectory, type KeyDirectory } from './key-directory';
import { createSessionDirectory } from './session-directory';

/** Look-ups of credentials that were good before: together with the others within the calls in flight of one client. */
const SEEN_AT_ONCE = 80;
const SEEN_LIMITS = { waitingMax: 2_000, waitMsMax: 2_000, refusal: tooMany } as const;
/** Look-ups of credentials that this gateway has not seen, or that opened nothing. */
const UNSEEN_AT_ONCE = 10;
const UNSEEN_LIMITS = { waitingMax: 100, waitMsMax: 1_000, refusal: tooMany } as const;

function tooMany(): Problem {
  return new Problem('overloaded', 'Too many credentials are being looked up; try again. Nothing was charged.', {
    headers: { 'Retry-After': '1' },
  });
}

/** What keys and sessions open, and word of those that change. Keys that open something are noted as used. */
export interface CredentialDirectory extends CredentialWatch {
  /** The remembered grant of a key, without any I/O; null when it must be asked for, or opens nothing. */
  remembered: KeyDirectory['remembered'];
  /**
   * What a credential opens; null when nothing. With the address of who presents it, refused ones count against that address. Throws 429 or
   * 503 as look-ups are limited, a ServiceError when account cannot tell.
   */
  verify(credential: Credential, address?: string): Promise<Grant | null>;
}

export interface CredentialDirectoryDeps {
  /** Tells of changes. */
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly keyLookUps: GrpcClient<account.KeyServiceService>;
  readonly sessionLookUps: GrpcClient<account.AccountServiceService>;
  readonly refused: RefusedCredentials;
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes backwards, milliseconds. */
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
  const common = { watch, limits, refused, logger, now, monotonicMs };
  const keyDirectory = createKeyDirectory({ ...common, keys: keyLookUps });
  const sessions = createSessionDirectory({ ...common, people: sessionLookUps });
  const uses = createKeyUses({ keys, logger, now });

  function used(grant: Grant | null): Grant | null {
    if (grant !== null && grant.keyId !== null) uses.note(grant.keyId);
    return grant;
  }

  return {
    ...watch,
    remembered: (key, connection) => used(keyDirectory.remembered(key, connection)),
    async verify({ kind, secret }, address) {
      return used(await (kind === 'key' ? keyDirectory.verify : sessions.verify)(secret, address));
    },
    async close() {
      await uses.close();
      await watch.close();
    },
  };
}
