import type { account } from '@market-state/contracts';
import { keyDigest, parseKey } from '@market-state/credentials';
import type { GrpcClient } from '@market-state/grpc';
import { digestHex } from './digest-hex';
import { fromKeyGrant, type Grant } from './grant';
import { createGrantMemory, type RememberedGrant } from './grant-memory';
import { createLookUp, type LookUp } from './look-ups';
import type { DirectoryDeps } from './session-directory';
import { createUnknownCredentials } from './unknown-credentials';

export interface KeyDirectory {
  /**
   * The remembered grant of a key, without any I/O; null when it must be asked for, or opens nothing. A key that comes again on the
   * connection that it came on last is not digested again.
   */
  remembered(key: string, connection: object): Grant | null;
  verify: LookUp;
}

export interface KeyDirectoryDeps extends DirectoryDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
}

/**
 * Grants of keys, asked of account once and remembered until account says that the key changed. Shape and checksum are
 * tested before any look-up.
 */
export function createKeyDirectory({ keys, watch, logger, now, monotonicMs, limits, refused }: KeyDirectoryDeps): KeyDirectory {
  const lastKeys = new WeakMap<object, { readonly key: string; readonly found: RememberedGrant }>();
  const memory = createGrantMemory({ kind: 'key', watch, now });

  async function ask(key: string): Promise<Grant | null> {
    const { grant } = await keys.call.verifyKey({ keyDigest: keyDigest(key) });
    return grant === undefined ? null : fromKeyGrant(grant);
  }

  return {
    remembered(key, connection) {
      const last = lastKeys.get(connection);
      if (last !== undefined && last.key === key) {
        const grant = last.found.grant();
        if (grant !== null) return grant;
      }
      const found = parseKey(key) === null ? null : memory.find(digestHex(key));
      if (found === null) return null;
      lastKeys.set(connection, { key, found });
      return found.grant();
    },
    verify: createLookUp({
      memory,
      unknown: createUnknownCredentials({ kind: 'key', watch, monotonicMs }),
      limits,
      refused,
      watch,
      now,
      monotonicMs,
      isWellFormed: (key) => parseKey(key) !== null,
      ask,
      onAccepted: ({ keyId, tenantId }) => logger.info({ key_id: keyId, tenant_id: tenantId }, 'key accepted'),
    }),
  };
}
