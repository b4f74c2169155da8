import fc from 'fast-check';
import { anyCharacter } from '../../tests/any-character';
import * as browser from './browser';
import * as node from './node';

/** Includes lone surrogates and a byte order mark. */
const text = fc.string({
  unit: fc.oneof(anyCharacter, fc.constantFrom('\ud800', '\udc00', '\ufeff', 'a', 'é')),
});

describe.each([
  ['node', node],
  ['browser', browser],
])('text and bytes in the build for %s', (_build, { byteLengthOf, bytesOf, sha256Hex, TextDecoding, textOf, writeText }) => {
  it('match the UTF-8 encoding and decoding of Node at every offset', () => {
    fc.assert(
      fc.property(text, fc.uint8Array({ maxLength: 30 }), fc.nat({ max: 9 }), (written, bytes, at) => {
        const expected = Buffer.from(written, 'utf8');
        expect(Buffer.compare(bytesOf(written), expected)).toBe(0);
        expect(byteLengthOf(written)).toBe(expected.length);
        const room = new Uint8Array(expected.length + 20);
        expect(writeText(written, room, at)).toBe(expected.length);
        expect(Buffer.compare(room.subarray(at, at + expected.length), expected)).toBe(0);
        expect(textOf(room, at, at + expected.length)).toBe(expected.toString('utf8'));
        expect(textOf(bytes)).toBe(Buffer.from(bytes).toString('utf8'));
      }),
      { numRuns: 500 },
    );
  });

  it('are decoded piece by piece as in one', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(text.map(bytesOf), fc.uint8Array({ maxLength: 5 })), { maxLength: 6 }), (pieces) => {
        const decoding = new TextDecoding();
        const decoded = pieces.map((piece) => decoding.write(piece)).join('') + decoding.end();
        expect(decoded).toBe(Buffer.concat(pieces).toString('utf8'));
      }),
      { numRuns: 500 },
    );
  });

  it('have the SHA-256 of the standard', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    fc.assert(fc.property(text, (hashed) => sha256Hex(hashed) === node.sha256Hex(Buffer.from(hashed))));
  });
});
