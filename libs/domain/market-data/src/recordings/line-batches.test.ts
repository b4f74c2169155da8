import fc from 'fast-check';
import { recordingLineBatches } from './line-batches';

async function linesOf(...chunks: readonly Uint8Array[]): Promise<string[]> {
  async function* read(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  }
  const lines: string[] = [];
  for await (const batch of recordingLineBatches(read())) lines.push(...batch);
  return lines;
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}

const piece = fc.constantFrom(
  ...['a', '{"p":1}', '\n', '\r\n', '\r', 'é', '€', '😀'].map((text) => Buffer.from(text)),
  ...[0x80, 0xe2, 0xf0].map((byte) => Buffer.from([byte])),
);

test('the same bytes give the same lines however they are cut into chunks, characters of several bytes and broken ones included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 12 }), async (pieces, places) => {
      const bytes = Buffer.concat(pieces);
      const whole = bytes
        .toString('utf8')
        .split('\n')
        .map((line) => line.replace(/\r$/, ''));
      if (bytes.length === 0 || bytes.at(-1) === 10) whole.pop();
      expect(await linesOf(...cut(bytes, places))).toEqual(whole);
    }),
    { numRuns: 2_000 },
  );
});
