import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { InstrumentRow, PlayedInstrument, RecordingSpan } from '@market-state/market-data';
import { openRecordingFiles } from './recording-files';

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
