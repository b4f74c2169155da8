import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib, { type Gunzip, type ZstdDecompress } from 'node:zlib';
import { unpackedLz4 } from './lz4-frames';
import { UnreadableFileError } from './unreadable-file-error';
import { unpackedZip } from './zip-file';

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
