import { createHash } from 'node:crypto';
import type { StoredKey } from './key';
import { verifyKey } from './verify-key';

const digest = createHash('sha256').update('a key').digest();
const nowMs = 1_700_000_000_000;
const active: StoredKey = {
  id: 'key_1',
  tenantId: 'ten_1',
  kind: 'live',
  scopes: ['read'],
  digest,
  expiresTsMs: null,
  revokedTsMs: null,
};

function verifyWith(found: StoredKey | null): Promise<StoredKey | null> {
  return verifyKey({ findByDigest: () => Promise.resolve(found), clock: () => nowMs }, digest);
}

describe('verifyKey', () => {
  test.each([
    ['without an end', active],
    ['that ends in a millisecond', { ...active, expiresTsMs: nowMs + 1 }],
  ])('accepts a key %s', async (_case, key) => {
    await expect(verifyWith(key)).resolves.toBe(key);
  });

  test.each([
    ['unknown', null],
    ['revoked', { ...active, revokedTsMs: nowMs - 1 }],
    ['ending this very millisecond', { ...active, expiresTsMs: nowMs }],
    ['found under another digest', { ...active, digest: createHash('sha256').update('another key').digest() }],
  ])('refuses a key that is %s', async (_case, key) => {
    await expect(verifyWith(key)).resolves.toBeNull();
  });
});
