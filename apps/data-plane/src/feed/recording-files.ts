import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type InstrumentRow,
  openRecording,
  type OpenRecording,
  recordingLineBatches,
  type PlayedInstrument,
  type RecordingSpan,
} from '@market-state/market-data';
import { createHash } from 'node:crypto';

/** What a feed must know of a recording before it plays it. */
export interface RecordingFacts {
  /** SHA-256 over the content of the files, in order: lower-case hex. */
  readonly digest: string;
  readonly span: RecordingSpan;
  readonly instrument: PlayedInstrument;
}

/** Facts by symbol, file list and table, found out once in the life of the process: each reads all of its files. */
const known = new Map<string, Promise<RecordingFacts>>();

/**
 * The facts of one symbol's recording.
 * @throws when a file can't be read or none holds a message of the symbol
 */
export function recordingFacts(symbol: string, files: readonly string[], rows: readonly InstrumentRow[]): Promise<RecordingFacts> {
  const key = JSON.stringify([symbol, files, rows]);
  const facts = known.get(key) ?? discover(symbol, files, rows);
  known.set(key, facts);
  facts.catch(() => known.delete(key));
  return facts;
}

async function discover(symbol: string, files: readonly string[], rows: readonly InstrumentRow[]): Promise<RecordingFacts> {
  const recording = await openRecordingFiles(symbol, files, rows, 'at once');
  const span = await recording.span();
  const digest = createHash('sha256');
  for (const file of files) digest.update(await digestOf(file));
  return { digest: digest.digest('hex'), span, instrument: recording.instrument };
}

async function digestOf(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest();
}

const gzipMagic = [0x1f, 0x8b];
const CHUNK_BYTES = 256 * 1_024;

/** `at once`: to its end, without a wait. `over time`: as what is in it comes due; none of its lines are kept until then. */
type Reading = 'at once' | 'over time';

/**
 * Opens a symbol's files, plain or gzip, in the order given, as one recording of any format that is known; it can be read once.
 * @throws Error naming the file that can't be read, or the files that are no recording of the symbol
 */
export async function openRecordingFiles(
  symbol: string,
  files: readonly string[],
  rows: readonly InstrumentRow[],
  reading: Reading,
): Promise<OpenRecording> {
  const isRepeatable = reading === 'over time';
  try {
    return await openRecording(
      files.map((path) => ({ name: path, lines: { [Symbol.asyncIterator]: () => readLines(path) }, isRepeatable })),
      { symbol, rows },
    );
  } catch (error) {
    throw new Error(`${files.join(', ')}: ${messageOf(error)}`, { cause: error });
  }
}

/** Lines of a recording, plain or gzip, as they are read. @throws Error naming the file */
export async function* readLines(path: string): AsyncGenerator<readonly string[]> {
  try {
    yield* recordingLineBatches(chunksOf(path, await isGzip(path)));
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function* chunksOf(path: string, packed: boolean): AsyncGenerator<Uint8Array> {
  const bytes = createReadStream(path);
  const chunks = packed ? pipeline(bytes, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined) : bytes;
  try {
    for await (const chunk of chunks) yield chunk as Buffer;
  } finally {
    chunks.destroy();
    bytes.destroy();
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(gzipMagic.length), 0, gzipMagic.length, 0);
    return bytesRead === gzipMagic.length && gzipMagic.every((byte, index) => buffer[index] === byte);
  } finally {
    await file.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
