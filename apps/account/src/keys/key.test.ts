import { createHash } from 'node:crypto';
import { type KeyOfTenant, verifyKey } from './key';

const digest = createHash('sha256').update('a key').digest();
const nowMs = 1_700_000_000_000;
const active: KeyOfTenant = {
  id: 'key_1',
  tenantId: 'ten_1',
  name: 'first',
  kind: 'live',
  scopes: ['read'],
  digest,
  display: { first: 'msk_live_abc', last: 'wxyz' },
  createdTsMs: nowMs - 1_000,
  expiresTsMs: null,
  revokedTsMs: null,
  lastUsedTsMs: null,
  operationId: null,
  ceiling: null,
  rate: null,
  planId: null,
  tenantDisabled: false,
};

function verifyWith(found: KeyOfTenant | null): Promise<KeyOfTenant | null> {
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
    ['of a disabled tenant', { ...active, tenantDisabled: true }],
    ['found under another digest', { ...active, digest: createHash('sha256').update('another key').digest() }],
  ])('refuses a key that is %s', async (_case, key) => {
    await expect(verifyWith(key)).resolves.toBeNull();
  });
});
