import { createPrivateKey } from 'node:crypto';
import { createPacketSigner, noSigner } from './packet-signer';

/** RFC 8032, 7.1, test 3: secret key and public key of a pair. */
const SECRET = 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7';
const PUBLIC = 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025';
const PKCS8_PREFIX = '302e020100300506032b657004220420';

const signer = createPacketSigner(createPrivateKey({ key: Buffer.from(PKCS8_PREFIX + SECRET, 'hex'), format: 'der', type: 'pkcs8' }));

test('the registry holds the 32 raw bytes of the public key, under an id made of their digest', () => {
  expect(Buffer.from(signer.key?.publicKey ?? []).toString('hex')).toBe(PUBLIC);
  expect(signer.key?.keyId).toMatch(/^key_[0-9a-hjkmnp-tv-z]{26}$/);
});

test('the same digest has the same signature whenever it is signed: 64 bytes over the 32 that the hex stands for', () => {
  const digest = 'ab'.repeat(32);
  const [one, other] = [signer.sign(digest), signer.sign(digest)];
  expect(one?.bytes).toHaveLength(64);
  expect(other).toEqual(one);
  expect(signer.sign('ac'.repeat(32))).not.toEqual(one);
});

test('without a key nothing is signed', () => {
  expect([noSigner.key, noSigner.sign('ab'.repeat(32))]).toEqual([undefined, null]);
});
