import { readFile } from 'node:fs/promises';
import { UnreadableFileError } from './unreadable-file-error';

const CHUNK_BYTES = 256 * 1_024;
const MAGIC = 0x184d2204;
/** First 28 bits of the sixteen magic numbers of frames to skip. */
const SKIPPABLE = 0x184d2a5;
const BLOCK_SIZE_BITS = 0x7fffffff;
const FLAGS = { contentChecksum: 0x04, contentSize: 0x08, blockChecksums: 0x10, dictionary: 0x01 };

/**
 * Content of lz4 frames, one after the other; a file is read as a whole. The library decodes one frame and ignores what
 * follows, so frames are separated here.
 */
export async function* unpackedLz4(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
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
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
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
