import { hash } from 'node:crypto';
import type { account } from '@market-state/contracts';
import { keyDigest, parseKey } from '@market-state/credentials';
import type { GrpcClient } from '@market-state/grpc';
import { currentRequestId, type Logger, requestIdOr, withRequestContext } from '@market-state/logging';
import type { CredentialWatch } from './credential-watch';
import { fromKeyGrant, type Grant } from './grant';
import { createGrantMemory, type RememberedGrant } from './grant-memory';

export interface KeyDirectory {
  /**
   * The remembered grant of a key, without any I/O; null when it must be asked for, or opens nothing. A key that comes again on the
   * connection that it came on last is not digested again.
   */
  remembered(key: string, connection: object): Grant | null;
  /** What a key opens; null when nothing. Asks account unless a trusted grant is remembered. Throws a ServiceError when account cannot tell. */
  verify(key: string): Promise<Grant | null>;
}

export interface KeyDirectoryDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly watch: CredentialWatch;
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** A look-up under way answers those too who ask so shortly after it began, milliseconds; later ones are not told what may be that old. */
const JOINED_MS = 250;

interface LookUp {
  readonly begunMs: number;
  readonly generation: number;
  readonly grant: Promise<Grant | null>;
}

/** What a grant is remembered under: SHA-256 as hex, by the one-shot call that costs a sixth of a hash object. */
export function digestHex(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/**
 * Grants of keys, asked of account once and remembered until account says that the key changed. Shape and checksum are
 * tested before any look-up.
 */
export function createKeyDirectory({ keys, watch, logger, now }: KeyDirectoryDeps): KeyDirectory {
  const lastKeys = new WeakMap<object, { readonly key: string; readonly found: RememberedGrant }>();
  const memory = createGrantMemory({ kind: 'key', watch, now });
  const underWay = new Map<string, LookUp>();

  async function ask(key: string): Promise<Grant | null> {
    const asked = watch.generation();
    const { grant: answer } = await keys.call.verifyKey({ keyDigest: keyDigest(key) });
    const grant = answer === undefined ? null : fromKeyGrant(answer);
    // Whether it has ended is account's to say: the clocks of two machines differ.
    if (grant === null) return null;
    if (memory.keep(digestHex(key), grant, asked)) logger.info({ key_id: grant.keyId, tenant_id: grant.tenantId }, 'key accepted');
    return grant;
  }

  /** As ask, once for callers of a key who come together. Whoever asked first may go away: it is asked in the name of all. */
  function askTogether(key: string): Promise<Grant | null> {
    const digest = digestHex(key);
    const begunMs = now();
    const generation = watch.generation();
    const other = underWay.get(digest);
    if (other !== undefined && other.generation === generation && begunMs - other.begunMs < JOINED_MS) return other.grant;
    const grant = withRequestContext({ requestId: requestIdOr(currentRequestId()) }, () => ask(key)).finally(() => {
      if (underWay.get(digest)?.grant === grant) underWay.delete(digest);
    });
    underWay.set(digest, { begunMs, generation, grant });
    return grant;
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
    async verify(key) {
      if (parseKey(key) === null) return null;
      return memory.get(digestHex(key)) ?? (await askTogether(key));
    },
  };
}
