import { instrumentRows } from '../instrument-rows';
import type { DescribedInstrument, InstrumentRow, PlayedInstrument } from '../played-instrument';
import { venues } from '../venues';
import { csvReader } from './csv-files';
import type { FormatReader, OpenRecording, RecordingFormat } from './format';
import { type RecordingFile, peekFile, type PeekedFile } from './peeked-file';
import { RecordingError, UnknownFormatError } from './recording-errors';
import { rowReader } from './row-lines';
import { CSV_HEADERS } from '../csv/columns';
import { type Json, parseObject } from '../json';

/** First lines that are nearly a recording, and what to do about them: more than that no format is known. */
const NEARLY: readonly (readonly [RegExp, (line: string) => string])[] = [
  [
    /^[0-9]{13}\s+[{[]/,
    () =>
      "its receive times are milliseconds: receive times are nanoseconds, so put six zeros behind them: sed -E 's/^([0-9]{13}) /\\1000000 /'",
  ],
  [
    /^[0-9]{9,10}(?:\.[0-9]+)?\s+[{[]/,
    () =>
      'its receive times are seconds: receive times are nanoseconds, so write them with 19 digits: awk \'{ sub(/^[^ ]+/, sprintf("%.0f000", $1 * 1e6)) } 1\'',
  ],
  [/^\[\s*(?:\{|$)/, () => "it is one JSON list: write its elements a line each: jq -c '.[]'"],
  [/^\{$/, () => 'its JSON stands over several lines: write each object on a line of its own: jq -c .'],
  [
    /^"?[A-Za-z][^,;\t{}:]*"?(?:[,;\t]"?[\w ./()[\]-]*"?){2,}$/,
    (line) =>
      line.includes(',')
        ? `it is a CSV without a column exchange_time_ms (or _s, _us, _ns, _utc): ${columnAdvice(line)}`
        : `it is a table whose columns are not parted by commas: part them so, and name them as docs/how-to/recording.md says:\n${headers()}`,
  ],
  [/\uFFFD|[\u0000-\u0008]/, () => 'it is no text in UTF-8: write it as UTF-8'],
];

/** Fields by which messages of venues are known. */
const MESSAGE_FIELDS = ['stream', 'e', 'lastUpdateId', 'channel', 'topic'];
/** The same of a line that was cut, in the usual order of fields. */
const MESSAGE_BEGINNING = /^\{\s*"(?:stream|e|lastUpdateId|channel|topic)"\s*:/;

function headers(): string {
  return CSV_HEADERS.map((header) => `  ${header}`).join('\n');
}

/** Tardis names the levels of a book so, from 0 on. */
const LEVEL_FROM_ZERO = /(?:^|,)"?(?:ask|bid)s\[0\]\.(?:price|amount)/;

function columnAdvice(line: string): string {
  return LEVEL_FROM_ZERO.test(line)
    ? 'its columns are those of Tardis. Name timestamp exchange_time_us, local_timestamp received_time_us, asks[0].price ask_price_1, ' +
        `asks[0].amount ask_size_1 and so on, bids alike, and leave exchange and symbol out:\n${headers()}`
    : `name its columns so, as docs/how-to/recording.md says:\n${headers()}`;
}

/** What is to be done about a file whose first line is in no format, where that is known. */
function adviceOn(firstLine: string): string | undefined {
  return adviceOnJson(parseObject(firstLine), firstLine) ?? NEARLY.find(([form]) => form.test(firstLine))?.[1](firstLine);
}

function adviceOnJson(json: Json | undefined, line: string): string | undefined {
  const exchange = json?.['t'] === 'header' ? json['exchange'] : undefined;
  if (typeof exchange === 'string')
    return (
      `it is a cryptofeed capture of ${exchange.slice(0, 40)}: of those only Bybit's are read; ` +
      'its books and trades as CSV can be labelled, see docs/how-to/recording.md'
    );
  return MESSAGE_BEGINNING.test(line) || MESSAGE_FIELDS.some((field) => json !== undefined && field in json)
    ? 'its lines begin with the message: each must begin with the receive time in nanoseconds and a space, as `market-state record` writes it'
    : undefined;
}

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
