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
import { newId } from '../ids';
import { insertSecret, listSealedOtherwise, replaceSealed, retireSecrets, type StoredSecret } from '../store/secrets';

/** Old secrets of an endpoint that may sign along. */
const OLD_SECRETS_MAX = 2;

/** Secrets that are sealed anew in one statement. */
const BATCH_SIZE = 500;

/** What came of sealing all anew. */
export interface Resealed {
  /** Id of the key that seals. */
  readonly keyId: string;
  readonly resealed: number;
  /** Secrets that no key opens; they stay as they are. */
  readonly unreadable: number;
}

/** Makes secrets and gives them out once; what is stored is sealed. */
export interface Secrets {
  /** A new secret, which signs from now on. */
  add(on: Queryable, endpointId: string, nowMs: number): Promise<{ readonly secretId: string; readonly secret: string }>;
  /** The same; those before it sign along until `untilMs`, at most two of them. */
  rotate(
    on: Queryable,
    endpointId: string,
    span: { readonly nowMs: number; readonly untilMs: number },
  ): Promise<{ readonly secretId: string; readonly secret: string }>;
  /** Seals with the first key what another one has sealed, batch by batch: each secret can be opened at any time meanwhile. */
  resealAll(on: Queryable): Promise<Resealed>;
}

/** @param keys the first seals, all open */
export function createSecrets(keys: readonly SealingKey[]): Secrets {
  async function add(on: Queryable, endpointId: string, nowMs: number) {
    const secretId = newId('whk');
    const secret = formatWebhookSecret(randomBytes(WEBHOOK_SECRET_SIZE_BYTES));
    await insertSecret(on, { secretId, endpointId, sealed: seal(secret, endpointId), createdMs: nowMs });
    return { secretId, secret };
  }

  function seal(secret: string, endpointId: string): string {
    return sealSecret(secret, { keys, endpointId, nonce: randomBytes(SEALING_NONCE_SIZE_BYTES) });
  }

  function sealedAnew({ secretId, endpointId, sealed }: StoredSecret) {
    try {
      return [{ secretId, sealed, anew: seal(openSecret(sealed, { keys, endpointId }), endpointId) }];
    } catch {
      return [];
    }
  }

  return {
    add,
    async rotate(on, endpointId, { nowMs, untilMs }) {
      await retireSecrets(on, endpointId, { untilMs, nowMs, keep: OLD_SECRETS_MAX });
      return add(on, endpointId, nowMs);
    },
    async resealAll(on) {
      const keyId = keys[0]?.id ?? '';
      const total = { keyId, resealed: 0, unreadable: 0 };
      let after = '';
      for (;;) {
        const batch = await listSealedOtherwise(on, { keyId, after, limit: BATCH_SIZE });
        const anew = batch.flatMap(sealedAnew);
        total.resealed += await replaceSealed(on, anew);
        total.unreadable += batch.length - anew.length;
        const last = batch.at(-1);
        if (last === undefined || batch.length < BATCH_SIZE) return total;
        after = last.secretId;
      }
    },
  };
}
