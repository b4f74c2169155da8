import { createCipheriv, createDecipheriv } from 'node:crypto';
import { fromBase64 } from './sign';

/** Never reuse a nonce with the same key. */
export const SEALING_NONCE_SIZE_BYTES = 12;

const CIPHER = 'aes-256-gcm';
const KEY_SIZE_BYTES = 32;
const TAG_SIZE_BYTES = 16;
const KEY_ID_PATTERN = /^[0-9A-Za-z_-]{1,32}$/;

/** Key that encrypts secrets at rest. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * Parses keys in the form of `WEBHOOK_KEYS`: `<id>:<base64>[,…]`. The first key seals, all open. An id is 1 to 32
 * letters, digits, `_` or `-`; a key is 32 bytes. Errors name position or id and never contain key material.
 */
export function parseSealingKeys(text: string): { readonly keys: readonly SealingKey[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const keys: SealingKey[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const colon = entry.indexOf(':');
    const id = entry.slice(0, Math.max(colon, 0)).trim();
    const key = fromBase64(entry.slice(colon + 1).trim());
    if (colon === -1) faults.push(`key ${index + 1} is not <id>:<base64>`);
    else if (!KEY_ID_PATTERN.test(id)) faults.push(`the id of key ${index + 1} is not 1 to 32 letters, digits, _ or -`);
    else if (keys.some((other) => other.id === id)) faults.push(`two keys have the id ${id}`);
    else if (key === null) faults.push(`key ${id} is not base64`);
    else if (key.length !== KEY_SIZE_BYTES) faults.push(`key ${id} has ${key.length} bytes, not ${KEY_SIZE_BYTES}`);
    else keys.push({ id, key });
  }
  return { keys, faults };
}

interface SealOptions {
  /** From `parseSealingKeys`; the first one is used. */
  readonly keys: readonly SealingKey[];
  /** Endpoint that owns the secret; required again to open it. */
  readonly endpointId: string;
  /** `SEALING_NONCE_SIZE_BYTES` bytes from a cryptographic source, new for each call. */
  readonly nonce: Uint8Array;
}

/**
 * Encrypts a secret: `<key id>:` and the base64 of nonce, AES-256-GCM ciphertext and tag, with the endpoint id as
 * associated data.
 * @throws RangeError without a key, or for a nonce of another length
 */
export function sealSecret(secret: string, { keys, endpointId, nonce }: SealOptions): string {
  const [first] = keys;
  if (first === undefined) throw new RangeError('no sealing key is configured');
  if (nonce.length !== SEALING_NONCE_SIZE_BYTES) throw new RangeError(`a nonce has ${SEALING_NONCE_SIZE_BYTES} bytes`);
  const cipher = createCipheriv(CIPHER, first.key, nonce, { authTagLength: TAG_SIZE_BYTES }).setAAD(Buffer.from(endpointId));
  const bytes = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${first.id}:${bytes.toString('base64')}`;
}

/**
 * Decrypts a secret sealed by `sealSecret`.
 * @throws if the key is not in `keys`, the endpoint differs, or any bit changed; the error contains at most the key's
 * id
 */
export function openSecret(sealed: string, { keys, endpointId }: Pick<SealOptions, 'keys' | 'endpointId'>): string {
  const colon = sealed.indexOf(':');
  const id = sealed.slice(0, Math.max(colon, 0));
  const bytes = fromBase64(sealed.slice(colon + 1));
  if (bytes === null || !KEY_ID_PATTERN.test(id) || bytes.length < SEALING_NONCE_SIZE_BYTES + TAG_SIZE_BYTES) {
    throw new Error('not a sealed secret');
  }
  const found = keys.find((key) => key.id === id);
  if (found === undefined) throw new Error(`a secret is sealed with key ${id}, which is not configured`);
  const nonce = bytes.subarray(0, SEALING_NONCE_SIZE_BYTES);
  const decipher = createDecipheriv(CIPHER, found.key, nonce, { authTagLength: TAG_SIZE_BYTES }).setAAD(Buffer.from(endpointId));
  decipher.setAuthTag(bytes.subarray(-TAG_SIZE_BYTES));
  try {
    const ciphertext = bytes.subarray(SEALING_NONCE_SIZE_BYTES, -TAG_SIZE_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    throw new Error(`a secret sealed with key ${id} cannot be opened`);
  }
}
