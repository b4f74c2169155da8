import fc from 'fast-check';
import { formatWebhookSecret, openSecret, parseSealingKeys, sealSecret } from './index';

const FIRST = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const SECOND = `k2:${Buffer.alloc(32, 2).toString('base64')}`;
const NONCE = Buffer.alloc(12, 3);
const SECRET = formatWebhookSecret(Buffer.alloc(32, 4));

const keysOf = (text: string) => parseSealingKeys(text).keys;
const seal = (keys: string) => sealSecret(SECRET, { keys: keysOf(keys), endpointId: 'ep_1', nonce: NONCE });

describe('a sealed secret', () => {
  test('opens with its key at any position in the list, for its endpoint', () => {
    expect(seal(`${FIRST},${SECOND}`)).toMatch(/^k1:/);
    for (const keys of [FIRST, `${SECOND},${FIRST}`]) {
      expect(openSecret(seal(FIRST), { keys: keysOf(keys), endpointId: 'ep_1' })).toBe(SECRET);
    }
  });

  test('does not open for another endpoint, under another key of the same id, or without its key', () => {
    const other = keysOf(`k1:${Buffer.alloc(32, 9).toString('base64')}`);
    expect(() => openSecret(seal(FIRST), { keys: keysOf(FIRST), endpointId: 'ep_2' })).toThrow('cannot be opened');
    expect(() => openSecret(seal(FIRST), { keys: other, endpointId: 'ep_1' })).toThrow('cannot be opened');
    expect(() => openSecret(seal(FIRST), { keys: keysOf(SECOND), endpointId: 'ep_1' })).toThrow('key k1, which is not configured');
  });

  test('does not open with any one bit changed, and no error contains the secret', () => {
    const sealed = seal(FIRST);
    const bytes = Buffer.from(sealed);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const open = () => openSecret(changed.toString('latin1'), { keys: keysOf(FIRST), endpointId: 'ep_1' });
      expect(open).toThrow(Error);
      expect(open).not.toThrow(/whsec/);
    }
  });

  test('does not open when it is cut short', () => {
    const sealed = seal(FIRST);
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => openSecret(sealed.slice(0, length), { keys: keysOf(FIRST), endpointId: 'ep_1' })).toThrow(Error);
    }
  });

  test('contains nothing of any secret, and opens to it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ minLength: 12, maxLength: 12 }), (bytes, nonce) => {
        const options = { keys: keysOf(FIRST), endpointId: 'ep_1', nonce };
        const sealed = sealSecret(formatWebhookSecret(bytes), options);
        expect(sealed).not.toContain('whsec');
        expect(openSecret(sealed, options)).toBe(formatWebhookSecret(bytes));
      }),
    );
  });

  test('is not made without a key or with a nonce of another length', () => {
    expect(() => sealSecret(SECRET, { keys: [], endpointId: 'ep_1', nonce: NONCE })).toThrow(RangeError);
    expect(() => sealSecret(SECRET, { keys: keysOf(FIRST), endpointId: 'ep_1', nonce: Buffer.alloc(11) })).toThrow(RangeError);
  });
});

test('every fault of sealing keys is named, and none shows a key', () => {
  const short = Buffer.alloc(16, 5).toString('base64');
  const { keys, faults } = parseSealingKeys(`${FIRST}, ${SECOND},k1:${short},a b:x,nothing,k4:${short},k5:&&`);
  expect(keys.map(({ id }) => id)).toEqual(['k1', 'k2']);
  expect(faults).toEqual([
    'two keys have the id k1',
    'the id of key 4 is not 1 to 32 letters, digits, _ or -',
    'key 5 is not <id>:<base64>',
    'key k4 has 16 bytes, not 32',
    'key k5 is not base64',
  ]);
  expect(parseSealingKeys('').faults).toEqual(['key 1 is not <id>:<base64>']);
});
