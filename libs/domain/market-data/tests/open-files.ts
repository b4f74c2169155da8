import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { type MarketEvent, openRecording, type OpenRecording, recordingLineBatches, type RecordingFile, rowLine } from '../src/index';

/** Path of a handwritten recording, or of their folder. */
export function fixturePath(...names: string[]): string {
  return join(import.meta.dirname, '..', 'fixtures', ...names);
}

/** Files for `openRecording`; unpacks .gz. */
export function filesOf(paths: readonly string[]): RecordingFile[] {
  return paths.map((path) => {
    const bytes = createReadStream(path);
    return { name: basename(path), lines: recordingLineBatches(path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes) };
  });
}

export interface PlayedRecording {
  readonly recording: OpenRecording;
  readonly events: readonly MarketEvent[];
  /** Only reasons that occurred. */
  readonly rejections: Readonly<Record<string, number>>;
}

export async function playFiles(paths: readonly string[], symbol?: string): Promise<PlayedRecording> {
  return play(await openRecording(filesOf(paths), { symbol }));
}

export async function play(recording: OpenRecording): Promise<PlayedRecording> {
  const events: MarketEvent[] = [];
  for await (const batch of recording.events) events.push(...batch);
  const rejections = Object.fromEntries(Object.entries(recording.tally.rejections).filter(([, count]) => count > 0));
  return { recording, events, rejections };
}

export function textFile(name: string, text: string, chunkBytes = text.length): RecordingFile {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  return { name, lines: recordingLineBatches(chunks()) };
}

/** SHA-256 of the events' rows. */
export function digestOf(events: readonly MarketEvent[]): string {
  const digest = createHash('sha256');
  for (const event of events) digest.update(rowLine(event));
  return digest.digest('hex');
}

export function countKinds(events: readonly MarketEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of events) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
