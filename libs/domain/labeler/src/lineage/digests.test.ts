import { lineageDigest, packetIdentity, sha256Hex, ZERO_DIGEST } from './digests';

describe('digests and ids', () => {
  test('SHA-256 of a text is that of its UTF-8', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('')).toBe(sha256Hex(new Uint8Array(0)));
  });

  test('the chain hashes the two digests as bytes', () => {
    const expected = sha256Hex(Buffer.concat([Buffer.alloc(32), Buffer.alloc(32, 0xab)]));
    expect(lineageDigest(ZERO_DIGEST, 'ab'.repeat(32))).toBe(expected);
  });

  test('a packet identity has 26 lower-case characters and changes with every part', () => {
    const parts = ['BTCUSD-PERP', 1_000_000, 'a'.repeat(64), 'b'.repeat(64), ZERO_DIGEST] as const;
    const identity = packetIdentity(...parts);
    expect(identity).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
    const others = [
      packetIdentity('ETHUSD-PERP', parts[1], parts[2], parts[3], parts[4]),
      packetIdentity(parts[0], 1_010_000, parts[2], parts[3], parts[4]),
      packetIdentity(parts[0], parts[1], 'c'.repeat(64), parts[3], parts[4]),
      packetIdentity(parts[0], parts[1], parts[2], 'c'.repeat(64), parts[4]),
      packetIdentity(parts[0], parts[1], parts[2], parts[3], 'c'.repeat(64)),
    ];
    expect(new Set([identity, ...others]).size).toBe(6);
  });
});
