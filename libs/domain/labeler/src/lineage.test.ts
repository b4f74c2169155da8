import fc from 'fast-check';
import { canonicalJson, lineageDigest, sha256Hex } from './lineage';
import { ZERO_DIGEST } from './reducer/labeler-state';

describe('canonical JSON', () => {
  test('the sample of RFC 8785 section 3.2.3', () => {
    const sample = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\/',
      literals: [null, true, false],
    };
    expect(canonicalJson(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('names sort by UTF-16 code units, as the sorting sample of RFC 8785 does', () => {
    const sample = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const values = Object.values(JSON.parse(canonicalJson(sample)) as Record<string, string>);
    const written = [...canonicalJson(sample).matchAll(/:"([^"]+)"/g)].map((match) => match[1]);
    expect(values).toHaveLength(7);
    expect(written).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  test.each([
    [-0, '0'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [9007199254740994, '9007199254740994'],
    [0.1 + 0.2, '0.30000000000000004'],
  ])('the number %d is written %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('what JSON has no word for is refused, and an undefined member is left out', () => {
    expect(() => canonicalJson(Number.NaN)).toThrow(TypeError);
    expect(() => canonicalJson('\ud800')).toThrow(TypeError);
    expect(() => canonicalJson(() => 1)).toThrow(TypeError);
    expect(canonicalJson({ b: 1, a: undefined })).toBe('{"b":1}');
  });

  test('reading the text back gives the value, and member order never shows', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('digests and ids', () => {
  test('SHA-256 of a text is that of its UTF-8', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('')).toBe(sha256Hex(new Uint8Array(0)));
  });

  test('the chain hashes the two digests as bytes', () => {
    const expected = sha256Hex(Buffer.concat([Buffer.alloc(32), Buffer.alloc(32, 0xab)]));
    expect(lineageDigest(ZERO_DIGEST, 'ab'.repeat(32))).toBe(expected);
  });
});
