import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib, { type Gunzip, type ZstdDecompress } from 'node:zlib';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';
import { readFile } from 'node:fs/promises';

const FRAME_CHUNK_BYTES = 256 * 1_024;
const MAGIC = 0x184d2204;
/** First 28 bits of the sixteen magic numbers of frames to skip. */
const SKIPPABLE = 0x184d2a5;
const BLOCK_SIZE_BITS = 0x7fffffff;
const FLAGS = { contentChecksum: 0x04, contentSize: 0x08, blockChecksums: 0x10, dictionary: 0x01 };

/**
 * Content of lz4 frames, one after the other; a file is read as a whole. The library decodes one frame and ignores what
 * follows, so frames are separated here.
 */
async function* unpackedLz4(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  // Loaded on first use: the library is native.
  const { decompressFrame } = await import('lz4-napi');
  const bytes = await readFile(path, { signal });
  for (let start = 0; start < bytes.length; ) {
    const end = endOfFrame(bytes, start);
    if (bytes.readUInt32LE(start) === MAGIC) yield* chunksOf(await decompressFrame(bytes.subarray(start, end)));
    start = end;
  }
}

function* chunksOf(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += FRAME_CHUNK_BYTES) yield bytes.subarray(at, at + FRAME_CHUNK_BYTES);
}

/** Frame format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md. */
function endOfFrame(bytes: Buffer, start: number): number {
  const word = (at: number): number => {
    if (at + 4 > bytes.length) throw new UnreadableFileError('corrupt lz4: unexpected end of file');
    return bytes.readUInt32LE(at);
  };
  const magic = word(start);
  if (magic >>> 4 === SKIPPABLE) return start + 8 + word(start + 4);
  if (magic !== MAGIC) throw new UnreadableFileError(`corrupt lz4: no frame at byte ${start}`);
  const flags = word(start + 4) & 0xff;
  const has = (flag: number, size: number): number => (flags & flag ? size : 0);
  const checksum = has(FLAGS.blockChecksums, 4);
  let at = start + 7 + has(FLAGS.contentSize, 8) + has(FLAGS.dictionary, 4);
  for (let size = word(at); size !== 0; size = word(at)) at += 4 + (size & BLOCK_SIZE_BITS) + checksum;
  return at + 4 + has(FLAGS.contentChecksum, 4);
}

/** A file's content cannot be read; the message completes a sentence that starts with the file's name. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

const CHUNK_BYTES = 256 * 1_024;
const MAGIC_BYTES = 4;

interface Packing {
  readonly name: string;
  /** First bytes, in hex. */
  readonly magic: string;
  unpack(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array>;
}

const PACKINGS: readonly Packing[] = [
  { name: 'gzip', magic: '1f8b', unpack: (path, signal) => unpacked(path, zlib.createGunzip({ chunkSize: CHUNK_BYTES }), signal) },
  { name: 'zstd', magic: '28b52ffd', unpack: (path, signal) => unpacked(path, zstdUnpacking(), signal) },
  { name: 'lz4', magic: '04224d18', unpack: unpackedLz4 },
  { name: 'zip', magic: '504b0304', unpack: unpackedZip },
];

/**
 * Content of a file, detected by its first bytes: plain, gzip, zstd, lz4 frames, or a zip with one file.
 * @throws UnreadableFileError if packed content is corrupt; system errors as they are
 */
export async function* recordedBytes(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const source = createReadStream(path, { end: MAGIC_BYTES - 1, signal });
  const magic = Buffer.concat((await source.toArray({ signal })) as Buffer[]).toString('hex');
  const packing = PACKINGS.find((each) => magic.startsWith(each.magic));
  if (packing === undefined) {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES, signal }) as AsyncIterable<Buffer>;
    return;
  }
  try {
    yield* packing.unpack(path, signal);
  } catch (error) {
    if (signal?.aborted === true || error instanceof UnreadableFileError || isSystemError(error)) throw error;
    throw new UnreadableFileError(`corrupt ${packing.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Node 20, which the command line supports, has no zstd. */
function zstdUnpacking(): ZstdDecompress {
  const { createZstdDecompress } = zlib as Partial<typeof zlib>;
  if (createZstdDecompress === undefined) throw new UnreadableFileError('zstd needs Node 22.15 or newer: unpack the file with zstd -d');
  return createZstdDecompress({ chunkSize: CHUNK_BYTES });
}

function isSystemError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}

async function* unpacked(path: string, unpacking: Gunzip | ZstdDecompress, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const piping = pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES, signal }), unpacking);
  piping.catch(() => undefined);
  try {
    yield* unpacking as Readable as AsyncIterable<Buffer>;
    await piping;
  } finally {
    unpacking.destroy();
  }
}

/** Content of the only file of a zip, as Binance publishes them. */
async function* unpackedZip(path: string): AsyncGenerator<Uint8Array> {
  const zip = await openPromise(path, { autoClose: false });
  try {
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) if (!entry.fileName.endsWith('/')) entries.push(entry);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1)
      throw new UnreadableFileError(
        `zip with ${entries.length} files, not one: unpack it with unzip; if it is an Excel workbook, save it as CSV`,
      );
    let checksum = 0;
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (checksum !== entry.crc32) throw new UnreadableFileError(`corrupt zip: ${entry.fileName} has another checksum than stated`);
  } finally {
    zip.close();
  }
}
