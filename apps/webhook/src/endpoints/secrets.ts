import { randomBytes } from 'node:crypto';
import type { Queryable } from '@market-state/postgres';
import {
  formatWebhookSecret,
  openSecret,
  SEALING_NONCE_SIZE_BYTES,
  type SealingKey,
  sealSecret,
  WEBHOOK_SECRET_SIZE_BYTES,
} from '@market-state/webhook-signing';
import { idOfOperation, newId } from '../ids';
import {
  deleteSecrets,
  insertSecret,
  listSealedOtherwise,
  listSecrets,
  replaceSealed,
  retireSecrets,
  type StoredSecret,
} from '../store/secrets';

const OLD_SECRETS_MAX = 2;

const BATCH_SIZE = 500;

export interface Resealed {
  readonly keyId: string;
  readonly resealed: number;
  /** Secrets that no key opens; they are left unchanged. */
  readonly unreadable: number;
}

/** Creates secrets, returned once and stored sealed. */
export interface Secrets {
  replaceCredential(on: Queryable, endpointId: string, credential: string, nowMs: number): Promise<void>;
  /** Undefined if no key opens it. */
  open(sealed: string, endpointId: string): string | undefined;
  add(on: Queryable, endpointId: string, nowMs: number): Promise<{ readonly secretId: string; readonly secret: string }>;
  /** Adds a secret, once per operation; at most two previous ones also sign until `untilMs`. */
  rotate(
    on: Queryable,
    endpointId: string,
    order: { readonly nowMs: number; readonly untilMs: number; readonly operationId: string | undefined },
  ): Promise<{ readonly secretId: string; readonly secret: string }>;
  /** In batches; secrets stay readable throughout. */
  resealAll(on: Queryable): Promise<Resealed>;
}

/** @param keys the first one seals, all of them open */
export function createSecrets(keys: readonly SealingKey[]): Secrets {
  async function add(on: Queryable, endpointId: string, nowMs: number, secretId = newId('whk')) {
    const secret = formatWebhookSecret(randomBytes(WEBHOOK_SECRET_SIZE_BYTES));
    await insertSecret(on, { secretId, endpointId, sealed: seal(secret, endpointId), createdMs: nowMs });
    return { secretId, secret };
  }

  function seal(secret: string, endpointId: string): string {
    return sealSecret(secret, { keys, endpointId, nonce: randomBytes(SEALING_NONCE_SIZE_BYTES) });
  }

  function reseal({ secretId, endpointId, sealed }: StoredSecret) {
    try {
      return [{ secretId, sealed, resealed: seal(openSecret(sealed, { keys, endpointId }), endpointId) }];
    } catch {
      return [];
    }
  }

  return {
    add,
    async replaceCredential(on, endpointId, credential, nowMs) {
      await deleteSecrets(on, endpointId);
      await insertSecret(on, { secretId: newId('whk'), endpointId, sealed: seal(credential, endpointId), createdMs: nowMs });
    },
    open(sealed, endpointId) {
      try {
        return openSecret(sealed, { keys, endpointId });
      } catch {
        return undefined;
      }
    },
    async rotate(on, endpointId, { nowMs, untilMs, operationId }) {
      const secretId = idOfOperation('whk', endpointId, operationId);
      const known = (await listSecrets(on, [endpointId], nowMs)).find((secret) => secret.secretId === secretId);
      if (known !== undefined) return { secretId, secret: openSecret(known.sealed, { keys, endpointId }) };
      await retireSecrets(on, endpointId, { untilMs, nowMs, keep: OLD_SECRETS_MAX });
      return add(on, endpointId, nowMs, secretId);
    },
    async resealAll(on) {
      const keyId = keys[0]?.id ?? '';
      const total = { keyId, resealed: 0, unreadable: 0 };
      let after = '';
      for (;;) {
        const batch = await listSealedOtherwise(on, { keyId, after, limit: BATCH_SIZE });
        const resealed = batch.flatMap(reseal);
        total.resealed += await replaceSealed(on, resealed);
        total.unreadable += batch.length - resealed.length;
        const last = batch.at(-1);
        if (last === undefined || batch.length < BATCH_SIZE) return total;
        after = last.secretId;
      }
    },
  };
}
