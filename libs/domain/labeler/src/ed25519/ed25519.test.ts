import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { publicKeyBytesOf } from './key-object';
import * as browser from './browser';
import * as node from './node';

/** RFC 8032, section 7.1: public key, message, signature. */
const VECTORS = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

const bytes = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(hex, 'hex'));

describe.each([
  ['for node', node, false],
  ['for browsers', browser, false],
  ['for browsers, in a page without WebCrypto', browser, true],
])('signatures in the build %s', (_build, { signatureCheck }, isInsecure) => {
  const webCrypto = globalThis.crypto;
  const setCrypto = (value: unknown) => Object.defineProperty(globalThis, 'crypto', { value, configurable: true, writable: true });
  beforeAll(() => {
    if (isInsecure) setCrypto({});
  });
  afterAll(() => {
    if (isInsecure) setCrypto(webCrypto);
  });

  it.each(VECTORS)('hold for the key %s and its message alone', async (key, message, signature) => {
    const check = signatureCheck(bytes(key));
    expect(await check(bytes(message), bytes(signature))).toBe(true);
    expect(await check(bytes(`${message}00`), bytes(signature))).toBe(false);
    expect(await check(bytes(message), bytes(signature).fill(7, 3, 5))).toBe(false);
    expect(await check(bytes(message), bytes(signature).subarray(1))).toBe(false);
  });

  it('hold where Node says so, bit by bit', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const check = signatureCheck(publicKeyBytesOf(publicKey));
    const message = bytes('ab'.repeat(32));
    const signature = Uint8Array.from(sign(null, message, privateKey));
    for (let bit = -1; bit < 8 * 64; bit += 13) {
      const changed = Uint8Array.from(signature, (byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(await check(message, changed)).toBe(verify(null, message, publicKey, changed));
    }
  });

  it('need a key of 32 bytes', () => {
    expect(() => signatureCheck(new Uint8Array(31))).toThrow();
  });
});
