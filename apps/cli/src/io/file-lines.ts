import { resolve } from 'node:path';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { LineFile } from '@market-state/labeler';
import { RecordingError, recordingLineBatches } from '@market-state/market-data';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';

const CHUNK_BYTES = 256 * 1_024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * Chunks of a file, decompressed if it is gzip.
 * @throws CliError (bad input) naming the file if it cannot be read or its gzip is corrupt
 */
async function* fileChunks(path: string, name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const source = createReadStream(path, { highWaterMark: CHUNK_BYTES, signal });
  try {
    const pieces = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const head = await readHead(pieces);
    if (head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) yield* unpacked(continued(head, pieces));
    else yield* continued(head, pieces);
  } catch (error) {
    throw signal.aborted ? error : toCliError(error as NodeJS.ErrnoException, name);
  } finally {
    source.destroy();
  }
}

/** First chunk, long enough to detect gzip. */
async function readHead(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < GZIP_MAGIC.length) {
    const next = await pieces.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* continued(head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
}

async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const piping = pipeline(Readable.from(packed, { objectMode: false, highWaterMark: CHUNK_BYTES }), gunzip);
  piping.catch(() => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
    await piping;
  } finally {
    gunzip.destroy();
  }
}

function toCliError(error: NodeJS.ErrnoException, name: string): Error {
  const { code = '' } = error;
  if (code.startsWith('Z_')) return badInput(`${name}: corrupt gzip: ${error.message}`);
  if (error.syscall === undefined) return error;
  const sentence = { ENOENT: 'no such file', EISDIR: 'is a folder', EACCES: 'permission denied' }[code];
  return badInput(`${name}: ${sentence ?? `cannot be read (${code})`}`);
}

/** Lines of a text or gzip file, detected by content. Reading throws CliError (bad input) if the file is neither. */
export function lineFile(name: string, { cwd, signal }: Pick<CliIo, 'cwd' | 'signal'>): LineFile {
  return {
    name,
    lines: { [Symbol.asyncIterator]: () => linesOf(resolve(cwd, name), name, signal) },
  };
}

async function* linesOf(path: string, name: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  try {
    yield* recordingLineBatches(fileChunks(path, name, signal));
  } catch (error) {
    throw error instanceof RecordingError ? badInput(`${name}: ${error.message}`) : error;
  }
}
