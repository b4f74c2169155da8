import { instrumentRows } from '../instruments';
import type { DescribedInstrument, InstrumentRow, PlayedInstrument } from '../played-instrument';
import { venues } from '../venues';
import { csvReader } from './csv-files';
import type { FormatReader, OpenRecording, RecordingFormat } from './format';
import type { RecordingFile } from './recording-file';
import { peekFile, type PeekedFile } from './peeked-file';
import { RecordingError, UnknownFormatError } from './recording-errors';
import { rowReader } from './row-lines';
import { adviceOn } from './unknown-format';

const readers: readonly FormatReader[] = [...venues.flatMap(({ formats }) => formats), csvReader, rowReader];

/** The formats that `openRecording` reads. */
export const recordingFormats: readonly RecordingFormat[] = readers.map(({ id, title, example }) => ({ id, title, example }));

interface OpenOptions {
  readonly symbol?: string;
  readonly rows?: readonly InstrumentRow[];
  readonly instrument?: DescribedInstrument;
}

/**
 * Opens the files of one recording, in the order in which they follow each other. The format is told by the first line of
 * each, and the symbols by their first lines; `symbol` may stay away where there is only one. `rows` is the instrument table; the
 * bundled one unless given. `instrument` describes one that the table does not have, or has otherwise; CSV files need it.
 * @throws UnknownFormatError naming the formats that are known; UnknownSymbolError naming the symbols that are there;
 *   SeveralSymbolsError; RecordingError when a file is empty, the files are of several formats, or a line of our own rows is
 *   faulty. `events` throws the last three, too, for what shows later.
 */
export async function openRecording(
  files: readonly RecordingFile[],
  { symbol, rows = instrumentRows, instrument }: OpenOptions = {},
): Promise<OpenRecording> {
  const peeked: PeekedFile[] = [];
  try {
    for (const file of files) peeked.push(await peekFile(file));
    const reader = readerOf(peeked);
    const opened = await reader.open(
      peeked,
      symbol ?? instrument?.symbol,
      instrument === undefined ? rows : [instrument, ...rows],
      instrument,
    );
    if (instrument !== undefined) checkDescribed(opened.instrument, instrument);
    return { format: reader.id, venue: opened.instrument.venue, ...opened };
  } catch (error) {
    for (const { unread } of peeked) await unread.close();
    throw error;
  }
}

/** A description of something else would go unheeded. */
function checkDescribed({ symbol, venue, venueInstrument }: PlayedInstrument, described: DescribedInstrument): void {
  if (symbol === described.symbol && venue === described.venue && venueInstrument === described.venueInstrument) return;
  throw new RecordingError(
    `the instrument described is ${described.venueInstrument} of ${described.venue} as ${described.symbol}, and the recording is of ` +
      `${venueInstrument} of ${venue}, which is ${symbol}`,
  );
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
