import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPacketSigner, noSigner, openSigningKey, SigningKeyFileError } from './packet-signer';

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

describe('the file of the key', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const keyId = (file: string): string | undefined => createPacketSigner(openSigningKey(file)).key?.keyId;

  function failure(file: string): SigningKeyFileError {
    try {
      openSigningKey(file);
    } catch (error) {
      if (error instanceof SigningKeyFileError) return error;
      throw error;
    }
    throw new Error('the key was opened');
  }

  test('a missing file is made for its owner alone, whole, and read again as the same key', () => {
    const file = join(folder, 'key.pem');
    const first = keyId(file);
    expect(first).toMatch(/^key_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END PRIVATE KEY-----\n$/);
    expect(keyId(file)).toBe(first);
    expect(readdirSync(folder)).toEqual(['key.pem']);
  });

  test.each([0o640, 0o604, 0o644, 0o660])('a file with mode %o is refused, and the sentence says what to do', (mode) => {
    const file = join(folder, 'key.pem');
    openSigningKey(file);
    chmodSync(file, mode);
    expect(failure(file).message).toBe(
      `The signing key ${file} is open to others (mode ${mode.toString(8)}); make it readable by its owner only (chmod 600).`,
    );
  });

  const isRoot = process.getuid?.() === 0;

  (!isRoot ? test.skip : test)(
    `a file of another user may be read by its group, as a mounted secret is${isRoot ? '' : ': skipped, only root makes one'}`,
    () => {
      const file = join(folder, 'key.pem');
      const first = keyId(file);
      chownSync(file, 65_534, 0);
      chmodSync(file, 0o440);
      expect(keyId(file)).toBe(first);
      for (const mode of [0o444, 0o460, 0o450]) {
        chmodSync(file, mode);
        expect(failure(file).message).toBe(
          `The signing key ${file} is open to others (mode ${mode.toString(8)}); make it readable by its owner and group only (chmod 440).`,
        );
      }
    },
  );

  test.each([
    [
      'another kind of key',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    ],
    ['a public key', generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString()],
    ['a key that is cut off', generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString().slice(0, 60)],
    ['anything else', 'cAnArY0123456789'],
    ['nothing', ''],
  ])('a file with %s is refused without a word of what it holds, and is left as it is', (_what, content) => {
    const file = join(folder, 'key.pem');
    writeFileSync(file, content, { mode: 0o600 });
    const { message, cause, stack } = failure(file);
    expect(message).toBe(`${file} does not contain an Ed25519 private key as PKCS#8 PEM.`);
    expect(cause).toBeUndefined();
    const words = content.split(/[\n ]/).filter((word) => word.length > 12 && !word.includes('-----'));
    for (const word of words) expect(stack).not.toContain(word);
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  test('a file left by a killed process does not block the next process with the same process id', () => {
    const file = join(folder, 'key.pem');
    writeFileSync(`${file}.${process.pid}.new`, '', { mode: 0o600 });
    expect(keyId(file)).toMatch(/^key_/);
  });

  test('a file that cannot be made says why', () => {
    expect(failure(join(folder, 'none', 'key.pem')).message).toContain('cannot be read or created (ENOENT)');
    expect(failure(folder).message).toMatch(/open to others|cannot be read or created \(EISDIR\)/);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });
});
