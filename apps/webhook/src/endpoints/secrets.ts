import { randomBytes } from 'node:crypto';
import type { Queryable } from '@market-state/postgres';
import {
  formatWebhookSecret,
  SEALING_NONCE_SIZE_BYTES,
  type SealingKey,
  sealSecret,
  WEBHOOK_SECRET_SIZE_BYTES,
} from '@market-state/webhook-signing';
import { newId } from '../ids';
import { insertSecret, retireSecrets } from '../store/secrets';

/** Old secrets of an endpoint that may sign along. */
const OLD_SECRETS_MAX = 2;

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
}

/** @param keys the first seals, all open */
export function createSecrets(keys: readonly SealingKey[]): Secrets {
  async function add(on: Queryable, endpointId: string, nowMs: number) {
    const secretId = newId('whk');
    const secret = formatWebhookSecret(randomBytes(WEBHOOK_SECRET_SIZE_BYTES));
    const sealed = sealSecret(secret, { keys, endpointId, nonce: randomBytes(SEALING_NONCE_SIZE_BYTES) });
    await insertSecret(on, { secretId, endpointId, sealed, createdMs: nowMs });
    return { secretId, secret };
  }

  return {
    add,
    async rotate(on, endpointId, { nowMs, untilMs }) {
      await retireSecrets(on, endpointId, { untilMs, nowMs, keep: OLD_SECRETS_MAX });
      return add(on, endpointId, nowMs);
    },
  };
}
