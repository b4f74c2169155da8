import { instrumentRows } from '../instrument-rows';
import { readMarket } from '../market';
import { type DescribedInstrument, type InstrumentRow, type PlayedInstrument, UnknownSymbolError } from '../played-instrument';
import { venues } from '../venues';
import { csvReader } from './csv-files';
import type { FormatReader, OpenRecording, RecordingFormat } from './format';
import { type RecordingFile, peekFile, type PeekedFile } from './peeked-file';
import { RecordingError, UnknownFormatError } from './recording-errors';
import { rowReader } from './row-lines';
import { binanceVisionReader } from '../user-archives/binance-vision';
import { tardisReader } from '../user-archives/tardis';
import { CSV_HEADERS } from '../csv/columns';
import { type Json, parseObject } from '../json';

const NEARLY: readonly (readonly [RegExp, (line: string) => string])[] = [
  [
    /^[0-9]{13}\s+[{[]/,
    () => "receive times are milliseconds but must be nanoseconds; append six zeros: sed -E 's/^([0-9]{13}) /\\1000000 /'",
  ],
  [
    /^[0-9]{9,10}(?:\.[0-9]+)?\s+[{[]/,
    () => 'receive times are seconds but must be nanoseconds with 19 digits: awk \'{ sub(/^[^ ]+/, sprintf("%.0f000", $1 * 1e6)) } 1\'',
  ],
  [/^\[\s*(?:\{|$)/, () => "file is a single JSON list; write one element per line: jq -c '.[]'"],
  [/^\{$/, () => 'JSON objects span several lines; write one object per line: jq -c .'],
  [
    /^"?[A-Za-z][^,;\t{}:]*"?(?:[,;\t]"?[\w ./()[\]-]*"?){2,}$/,
    (line) =>
      line.includes(',')
        ? `CSV has no column exchange_time_ms (or _s, _us, _ns, _utc): name columns as in docs/how-to/recording.md:\n${headers()}`
        : `columns are not separated by commas; use commas, and name columns as in docs/how-to/recording.md:\n${headers()}`,
  ],
  [/\uFFFD|[\u0000-\u0008]/, () => 'text is not UTF-8; convert it to UTF-8'],
];

const MESSAGE_FIELDS = ['stream', 'e', 'lastUpdateId', 'channel', 'topic'];
const MESSAGE_BEGINNING = /^\{\s*"(?:stream|e|lastUpdateId|channel|topic)"\s*:/;

function headers(): string {
  return CSV_HEADERS.map((header) => `  ${header}`).join('\n');
}

function adviceOn(firstLine: string): string | undefined {
  return adviceOnJson(parseObject(firstLine), firstLine) ?? NEARLY.find(([form]) => form.test(firstLine))?.[1](firstLine);
}

function adviceOnJson(json: Json | undefined, line: string): string | undefined {
  const exchange = json?.['t'] === 'header' ? json['exchange'] : undefined;
  if (typeof exchange === 'string')
    return (
      `file is a cryptofeed capture of ${exchange.slice(0, 40)}: only Bybit captures are supported; ` +
      'convert its books and trades to CSV, see docs/how-to/recording.md'
    );
  return MESSAGE_BEGINNING.test(line) || MESSAGE_FIELDS.some((field) => json !== undefined && field in json)
    ? 'lines start with the message but must start with the receive time in nanoseconds and a space, as `market-state record` writes it'
    : undefined;
}

const readers: readonly FormatReader[] = [
  ...venues.flatMap(({ formats }) => formats),
  tardisReader,
  binanceVisionReader,
  csvReader,
  rowReader,
];

export const recordingFormats: readonly RecordingFormat[] = readers.map(({ id, title, example }) => ({ id, title, example }));

interface OpenOptions {
  readonly symbol?: string;
  readonly rows?: readonly InstrumentRow[];
  readonly instrument?: DescribedInstrument;
}

/**
 * Opens the files of one recording, in chronological order. `symbol` is optional if there is only one, and may be a
 * market. `rows` defaults to the bundled instrument table; `instrument` overrides it, and is required for CSV.
 * @throws UnknownFormatError, UnknownSymbolError, SeveralSymbolsError, or RecordingError for empty files, mixed formats
 * or faulty rows. `events` can also throw the last three.
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
    if (symbol !== undefined) checkVenue(opened.instrument, symbol);
    return { format: reader.id, venue: opened.instrument.venue, ...opened, symbol: symbol ?? opened.symbol };
  } catch (error) {
    for (const { unread } of peeked) await unread.close();
    throw error;
  }
}

function checkVenue({ symbol, venue }: PlayedInstrument, market: string): void {
  const { venue: requested = venue } = readMarket(market);
  if (requested !== venue) throw new UnknownSymbolError(`the recording contains ${symbol} of ${venue}, not of ${requested}`);
}

/** A description of another instrument would be ignored silently. */
function checkDescribed({ symbol, venue, venueInstrument }: PlayedInstrument, described: DescribedInstrument): void {
  if (symbol === described.symbol && venue === described.venue && venueInstrument === described.venueInstrument) return;
  throw new RecordingError(
    `the described instrument is ${described.venueInstrument} of ${described.venue} as ${described.symbol}, but the recording contains ` +
      `${venueInstrument} of ${venue} as ${symbol}`,
  );
}

function readerOf(files: readonly PeekedFile[]): FormatReader {
  const [first, ...others] = files.map(readerOfFile);
  if (first === undefined) throw new RecordingError('a recording needs at least one file');
  const other = others.find((reader) => reader !== first);
  if (other !== undefined)
    throw new RecordingError(`the files of a recording must share one format; these are ${first.id} and ${other.id}`);
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
    `${name} has an unknown format; it starts with ${JSON.stringify(firstLine.slice(0, 80))}. Known formats and ` +
      `their first lines:\n${known}`,
  );
}
