import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { LineError, isSignedBy, readSigningKeyLine, signingKeyId, signingKeyLine, signingKeyOf } from './lines';
import { signingKeyOfPem } from '../ed25519/key-object';

/** RFC 8032, section 7.1, test 1024: the public key. */
const rawKey = Buffer.from('278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e', 'hex');

/** The id worked out by long division instead of bit by bit. */
function idByDivision(bytes: Uint8Array): string {
  let number = BigInt(`0x${createHash('sha256').update(bytes).digest('hex')}`) >> 126n;
  let text = '';
  for (let digit = 0; digit < 26; digit++) {
    text = '0123456789abcdefghjkmnpqrstvwxyz'.charAt(Number(number % 32n)) + text;
    number /= 32n;
  }
  return `key_${text}`;
}

test('the id of a key is the beginning of its hash in Crockford base32', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      expect(signingKeyId(bytes)).toBe(idByDivision(bytes));
    }),
    { numRuns: 1_000 },
  );
});

test('a key survives its line, and a line whose id is of another key is refused', () => {
  const key = signingKeyOf(rawKey);
  const line = signingKeyLine(key);
  expect(readSigningKeyLine(JSON.parse(line)).keyId).toBe(signingKeyId(rawKey));
  const other = { ...(JSON.parse(line) as object), key_id: `key_${'0'.repeat(26)}` };
  expect(() => readSigningKeyLine(other)).toThrow(LineError);
});

test('a signature holds for its key and its digest alone', async () => {
  const [mine, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const digest = 'ab'.repeat(32);
  const signature = sign(null, Buffer.from(digest, 'hex'), mine.privateKey).toString('base64');
  const key = signingKeyOfPem(mine.publicKey.export({ format: 'pem', type: 'spki' }).toString());
  const ofPrivate = signingKeyOfPem(mine.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  const otherKey = signingKeyOfPem(other.publicKey.export({ format: 'pem', type: 'spki' }).toString());
  expect(ofPrivate.keyId).toBe(key.keyId);
  expect(await isSignedBy(key, digest, signature)).toBe(true);
  expect(await isSignedBy(key, 'ac'.repeat(32), signature)).toBe(false);
  expect(await isSignedBy(key, digest, 'no base64')).toBe(false);
  expect(await isSignedBy(otherKey, digest, signature)).toBe(false);
});

test('a key of another kind is refused', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(() => signingKeyOfPem(publicKey.export({ format: 'pem', type: 'spki' }).toString())).toThrow('not Ed25519');
});
