import { ZERO_DIGEST } from '../reducer/labeler-state';
import { packetIdentity } from './label-packet';

describe('digests and ids', () => {
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
