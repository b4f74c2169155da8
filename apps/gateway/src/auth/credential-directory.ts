import type { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { Credential } from './credential';
import { type CredentialWatch, watchCredentials } from './credential-watch';
import type { Grant } from './grant';
import { createKeyDirectory, type KeyDirectory } from './key-directory';
import { createSessionDirectory } from './session-directory';

/** What keys and sessions open, and word of those that change. */
export interface CredentialDirectory extends CredentialWatch {
  /** The remembered grant of a key, without any I/O; null when it must be asked for, or opens nothing. */
  remembered: KeyDirectory['remembered'];
  /** What a credential opens; null when nothing. Throws a ServiceError when account cannot tell. */
  verify(credential: Credential): Promise<Grant | null>;
}

export interface CredentialDirectoryDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly people: GrpcClient<account.AccountServiceService>;
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
}

export function createCredentialDirectory({ keys, people, logger, now, monotonicMs }: CredentialDirectoryDeps): CredentialDirectory {
  const watch = watchCredentials({ keys, logger, monotonicMs });
  const keyDirectory = createKeyDirectory({ keys, watch, logger, now });
  const sessions = createSessionDirectory({ people, watch, logger, now });
  return {
    ...watch,
    remembered: keyDirectory.remembered,
    verify: ({ kind, secret }) => (kind === 'key' ? keyDirectory.verify(secret) : sessions.verify(secret)),
  };
}
