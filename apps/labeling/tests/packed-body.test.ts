import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { dictionaries, newestDictionary, packBody, unpackBody } from '../src/store/packet-row';
import { testDamagedBody } from './damaged-body';
import { labelPurely } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

const bodies = labelPurely(syntheticLog({ symbol: 'DOGEUSD-PERP', seconds: 300, seed: 11, stepMs: 1_000 })).map(({ body }) => body);

test('any text comes back as it was', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 3_000 }), (body) => unpackBody(packBody(body)) === body));
});

test('every packet comes back as it was, from less than an eighth of its bytes', () => {
  expect(bodies.length).toBeGreaterThan(20);
  for (const body of bodies) {
    const packed = packBody(body);
    expect(unpackBody(packed)).toBe(body);
    expect(packed.length * 8).toBeLessThan(Buffer.byteLength(body));
  }
});

test('dictionaries are those that stored packets were packed with', () => {
  const known = [...dictionaries].map(([id, bytes]) => [id.toString(16), createHash('sha256').update(bytes).digest('hex')]);
  expect(known).toEqual([['3900831b', '07633299ba8cd47b6e495ba947b565071232cc07d259f0677053331514a3cd89']]);
});

testDamagedBody(bodies[0] ?? '', 7);

test('says which dictionary it lacks', () => {
  const packed = deflateSync('{}', { dictionary: Buffer.from('another') });
  expect(() => unpackBody(packed)).toThrow(/names dictionary \d+, which this release does not have/);
});

test('unpacks no more than a body can be', () => {
  const packed = deflateSync('0'.repeat(5_000_000), { dictionary: newestDictionary.bytes });
  expect(packed.length).toBeLessThan(10_000);
  expect(() => unpackBody(packed)).toThrow(/larger than/);
});
