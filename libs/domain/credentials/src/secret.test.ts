import { createHash, randomBytes } from 'node:crypto';
import { formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from './secret';

test('a secret is 43 characters of base64url over 32 bytes', () => {
  const bytes = randomBytes(SECRET_SIZE_BYTES);
  const secret = formatSecret(bytes);
  expect(secret).toHaveLength(43);
  expect(isSecret(secret)).toBe(true);
  expect(Buffer.from(secret, 'base64url')).toEqual(bytes);
});

test.each([31, 33])('%i bytes make none', (size) => {
  expect(() => formatSecret(randomBytes(size))).toThrow(RangeError);
});

test.each(['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}\n`, `${'a'.repeat(42)}é`])('%j is none', (text) => {
  expect(isSecret(text)).toBe(false);
});

test('its digest is SHA-256 of its text', () => {
  const secret = formatSecret(new Uint8Array(SECRET_SIZE_BYTES));
  expect(secretDigest(secret)).toEqual(createHash('sha256').update(secret).digest());
});
