import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Lines as a gzip file. */
export interface Packed {
  readonly bytes: Buffer;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Compresses lines as fast as they come, and asks for no more than can be compressed. Rejects as their source does. */
export async function packLines(batches: AsyncIterable<readonly string[]>): Promise<Packed> {
  const pieces: Buffer[] = [];
  const sha256 = createHash('sha256');
  await pipeline(Readable.from(textOf(batches), { highWaterMark: 1 }), createGzip(), async (packed: AsyncIterable<Buffer>) => {
    for await (const piece of packed) {
      sha256.update(piece);
      pieces.push(piece);
    }
  });
  return { bytes: Buffer.concat(pieces), sha256: sha256.digest('hex') };
}

async function* textOf(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of batches) if (lines.length > 0) yield `${lines.join('\n')}\n`;
}
