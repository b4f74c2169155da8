import { instrumentRows } from '../instruments';
import type { InstrumentRow } from '../played-instrument';
import { venues } from '../venues';
import type { FormatReader, OpenRecording, RecordingFormat } from './format';
import type { RecordingFile } from './recording-file';
import { peekFile, type PeekedFile } from './peeked-file';
import { RecordingError, UnknownFormatError } from './recording-errors';
import { rowReader } from './row-lines';
import { adviceOn } from './unknown-format';

const readers: readonly FormatReader[] = [...venues.flatMap(({ formats }) => formats), rowReader];

/** The formats that `openRecording` reads. */
export const recordingFormats: readonly RecordingFormat[] = readers.map(({ id, title, example }) => ({ id, title, example }));

/**
 * Opens the files of one recording, in the order in which they follow each other. The format is told by the first line of
 * each, and the symbols by their first lines; `symbol` may stay away where there is only one. `rows` is the instrument table; the
 * bundled one unless given.
 * @throws UnknownFormatError naming the formats that are known; UnknownSymbolError naming the symbols that are there;
 *   SeveralSymbolsError; RecordingError when a file is empty, the files are of several formats, or a line of our own rows is
 *   faulty. `events` throws the last three, too, for what shows later.
 */
export async function openRecording(
  files: readonly RecordingFile[],
  { symbol, rows = instrumentRows }: { symbol?: string; rows?: readonly InstrumentRow[] } = {},
): Promise<OpenRecording> {
  const peeked: PeekedFile[] = [];
  try {
    for (const file of files) peeked.push(await peekFile(file));
    const reader = readerOf(peeked);
    const opened = await reader.open(peeked, symbol, rows);
    return { format: reader.id, venue: opened.instrument.venue, ...opened };
  } catch (error) {
    for (const file of peeked) await file.close();
    throw error;
  }
}

function readerOf(files: readonly PeekedFile[]): FormatReader {
  const [first, ...others] = files.map(readerOfFile);
  if (first === undefined) throw new RecordingError('a recording needs at least one file');
  const other = others.find((reader) => reader !== first);
  if (other !== undefined)
    throw new RecordingError(`the files of a recording must be of one format; these are ${first.id} and ${other.id}`);
  return first;
}

function readerOfFile({ name, head: [firstLine], headNumbers: [firstNumber] }: PeekedFile): FormatReader {
  if (firstLine === undefined) throw new RecordingError(`${name} is empty`);
  const reader = readers.find((candidate) => candidate.matches(firstLine));
  if (reader !== undefined) return reader;
  const advice = adviceOn(firstLine);
  if (advice !== undefined) throw new UnknownFormatError(`${name}:${firstNumber}: ${advice}`);
  const known = recordingFormats.map(({ id, example }) => `  ${id}: ${example}`).join('\n');
  throw new UnknownFormatError(
    `${name} is in no format that is known; it begins with ${JSON.stringify(firstLine.slice(0, 80))}. Known formats and ` +
      `how they begin:\n${known}`,
  );
}
