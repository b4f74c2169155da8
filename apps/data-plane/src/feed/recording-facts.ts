import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Instrument, type RecordingSpan, SpanScan } from '@market-state/market-data';
import { readLines } from './recording-lines';

/** What a feed must know of a recording before it plays it. */
export interface RecordingFacts {
  /** SHA-256 over the content of the files, in order: lower-case hex. */
  readonly digest: string;
  readonly span: RecordingSpan;
}

/** Facts by file list, found out once in the life of the process: each reads all of its files. */
const known = new Map<string, Promise<RecordingFacts>>();

/**
 * The facts of one instrument's recording.
 * @throws when a file can't be read or none holds a message of the instrument
 */
export function recordingFacts(instrument: Instrument, files: readonly string[]): Promise<RecordingFacts> {
  const key = JSON.stringify([instrument.venueInstrument, files]);
  const facts = known.get(key) ?? discover(instrument, files);
  known.set(key, facts);
  facts.catch(() => known.delete(key));
  return facts;
}

async function discover(instrument: Instrument, files: readonly string[]): Promise<RecordingFacts> {
  const digest = createHash('sha256');
  const scan = new SpanScan(instrument.venueInstrument);
  for (const file of files) {
    digest.update(await digestOf(file));
    for await (const lines of readLines(file)) lines.forEach((line) => scan.accept(line));
  }
  return { digest: digest.digest('hex'), span: scan.span() };
}

async function digestOf(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest();
}
