import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_SIZE_BYTES = 12;
const TAG_SIZE_BYTES = 16;
const KEY_SIZE_BYTES = 32;

/** Encrypts what is stored for one owner, such as an operation or an account. */
export interface Seal {
  seal(ownerId: string, plain: Uint8Array): Buffer;
  /** Undefined if sealed with another secret or for another owner. */
  open(ownerId: string, sealed: Uint8Array): Buffer | undefined;
}

const PURPOSES = { answers: 'answers of idempotent calls', secondFactors: 'secrets of second factors' } as const;

/** AES-256-GCM with a key derived from `secret` for the purpose, bound to the owner. Layout: nonce, tag, ciphertext. */
export function createSeal(secret: string, purpose: keyof typeof PURPOSES): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', PURPOSES[purpose], KEY_SIZE_BYTES));
  return {
    seal(ownerId, plain) {
      const nonce = randomBytes(NONCE_SIZE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(ownerId));
      const text = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    open(ownerId, sealed) {
      const bytes = Buffer.from(sealed);
      if (bytes.length < NONCE_SIZE_BYTES + TAG_SIZE_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_SIZE_BYTES), { authTagLength: TAG_SIZE_BYTES });
      decipher.setAAD(Buffer.from(ownerId)).setAuthTag(bytes.subarray(NONCE_SIZE_BYTES, NONCE_SIZE_BYTES + TAG_SIZE_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_SIZE_BYTES + TAG_SIZE_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
