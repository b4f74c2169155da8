import { packBody, unpackBody } from '../src/store/packet-row';

/** Flips a bit of a packed body, and truncates it, at every `everyBytes`-th byte. */
export function testDamagedBody(body: string, everyBytes: number): void {
  test('bytes that were changed or cut give an error or the same body, never another', () => {
    const packed = packBody(body);
    for (let at = 0; at < packed.length; at += everyBytes) {
      const changed = Buffer.from(packed);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      expect([body, 'refused']).toContain(readOr(changed, 'refused'));
      expect(readOr(packed.subarray(0, at), 'refused')).toBe('refused');
    }
  });
}

function readOr(packed: Buffer, otherwise: string): string {
  try {
    return unpackBody(packed);
  } catch {
    return otherwise;
  }
}
