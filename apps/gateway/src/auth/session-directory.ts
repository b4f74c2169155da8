import type { account } from '@market-state/contracts';
import { isSecret, secretDigest } from '@market-state/credentials';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { CredentialWatch } from './credential-watch';
import { fromSessionGrant, type Grant } from './grant';
import { createGrantMemory } from './grant-memory';
import { digestHex } from './key-directory';

/** A session in use is told to account this often, so that it does not end as idle, milliseconds. */
const TELL_USE_EVERY_MS = 60_000;

export interface SessionDirectory {
  /** What a session opens; null when nothing. Throws a ServiceError when account cannot tell. */
  verify(session: string): Promise<Grant | null>;
}

export interface SessionDirectoryDeps {
  readonly people: GrpcClient<account.AccountServiceService>;
  readonly watch: CredentialWatch;
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** Grants of browser sessions, remembered for a minute at most and never past the session's end. */
export function createSessionDirectory({ people, watch, logger, now }: SessionDirectoryDeps): SessionDirectory {
  const memory = createGrantMemory({ kind: 'session', watch, now, keepMsMax: TELL_USE_EVERY_MS });

  async function ask(session: string): Promise<Grant | null> {
    const asked = watch.generation();
    const { grant: answer } = await people.call.verifySession({ sessionDigest: secretDigest(session) });
    const grant = answer === undefined ? null : fromSessionGrant(answer);
    // Whether it has ended is account's to say: the clocks of two machines differ.
    if (grant === null) return null;
    if (memory.keep(digestHex(session), grant, asked)) logger.info({ account_id: grant.accountId, tenant_id: grant.tenantId }, 'session accepted');
    return grant;
  }

  return {
    async verify(session) {
      if (!isSecret(session)) return null;
      return memory.get(digestHex(session)) ?? (await ask(session));
    },
  };
}
