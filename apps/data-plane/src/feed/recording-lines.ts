import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line longer than this is no message of any venue: the file is not a recording. */
const lineCharsMax = 16 * 1024 * 1024;

/**
 * The lines of a gzip file, empty ones left out, read as they are wanted: as many at a time as one piece of the stream holds.
 * @throws Error naming the file when it can't be read, is not gzip, or holds a line beyond all bounds
 */
export async function* readLines(file: string): AsyncGenerator<readonly string[]> {
  const text = createGunzip();
  pipeline(createReadStream(file), text, () => undefined);
  text.setEncoding('utf8');
  try {
    yield* splitLines(text as AsyncIterable<string>);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    text.destroy();
  }
}

async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineCharsMax) throw new Error(`a line has more than ${lineCharsMax} characters`);
    yield lines.filter((line) => line !== '');
  }
  if (rest !== '') yield [rest];
}
