import type { account } from '@market-state/contracts';
import { isSecret, secretDigest } from '@market-state/credentials';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { RefusedCredentials } from '../limits/refused-credentials';
import type { CredentialWatch } from './credential-watch';
import { fromSessionGrant, type Grant } from './grant';
import { createGrantMemory } from './grant-memory';
import { createLookUp, type LookUp, type LookUpLimits } from './look-ups';
import { createUnknownCredentials } from './unknown-credentials';

/** A session in use is told to account this often, so that it does not end as idle, milliseconds. */
const TELL_USE_EVERY_MS = 60_000;

export interface SessionDirectory {
  verify: LookUp;
}

/** What directories of keys and of sessions have in common. */
export interface DirectoryDeps {
  readonly watch: CredentialWatch;
  /** Shared by all credentials of the gateway. */
  readonly limits: LookUpLimits;
  readonly refused: RefusedCredentials;
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
}

export interface SessionDirectoryDeps extends DirectoryDeps {
  readonly people: GrpcClient<account.AccountServiceService>;
}

/** Grants of browser sessions, remembered for a minute at most and never past the session's end. */
export function createSessionDirectory({
  people,
  watch,
  logger,
  now,
  monotonicMs,
  limits,
  refused,
}: SessionDirectoryDeps): SessionDirectory {
  async function ask(session: string): Promise<Grant | null> {
    const { grant } = await people.call.verifySession({ sessionDigest: secretDigest(session) });
    return grant === undefined ? null : fromSessionGrant(grant);
  }

  return {
    verify: createLookUp({
      memory: createGrantMemory({ kind: 'session', watch, now, keepMsMax: TELL_USE_EVERY_MS }),
      unknown: createUnknownCredentials({ kind: 'session', watch, monotonicMs }),
      limits,
      refused,
      watch,
      now,
      monotonicMs,
      isWellFormed: isSecret,
      ask,
      onAccepted: ({ accountId, tenantId }) => logger.info({ account_id: accountId, tenant_id: tenantId }, 'session accepted'),
    }),
  };
}
