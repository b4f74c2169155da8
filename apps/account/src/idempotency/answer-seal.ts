import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_SIZE_BYTES = 12;
const TAG_SIZE_BYTES = 16;
const KEY_SIZE_BYTES = 32;

/** Encrypts stored answers: one may contain a key that is shown only once. */
export interface AnswerSeal {
  seal(operationId: string, answer: Uint8Array): Uint8Array;
  /** Undefined if sealed with another secret or for another call. */
  open(operationId: string, sealed: Uint8Array): Uint8Array | undefined;
}

/** AES-256-GCM with a key derived from `secret`, bound to the call. Layout: nonce, tag, ciphertext. */
export function createAnswerSeal(secret: string): AnswerSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'answers of idempotent calls', KEY_SIZE_BYTES));
  return {
    seal(operationId, answer) {
      const nonce = randomBytes(NONCE_SIZE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(operationId));
      const text = Buffer.concat([cipher.update(answer), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    open(operationId, sealed) {
      const bytes = Buffer.from(sealed);
      if (bytes.length < NONCE_SIZE_BYTES + TAG_SIZE_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_SIZE_BYTES), { authTagLength: TAG_SIZE_BYTES });
      decipher.setAAD(Buffer.from(operationId)).setAuthTag(bytes.subarray(NONCE_SIZE_BYTES, NONCE_SIZE_BYTES + TAG_SIZE_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_SIZE_BYTES + TAG_SIZE_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
