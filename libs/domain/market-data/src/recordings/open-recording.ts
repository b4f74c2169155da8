import { instrumentRows } from '../instrument-rows';
import { readMarket } from '../market';
import { type DescribedInstrument, type InstrumentRow, type PlayedInstrument, UnknownSymbolError } from '../played-instrument';
import { venues } from '../venues';
import type { FormatReader, OpenRecording, RecordingFormat, OpenedRecording } from './format';
import { type RecordingFile, peekFile, type PeekedFile, type UnreadFile } from './peeked-file';
import { RecordingError, UnknownFormatError, RecordingNotes } from './recording-notes';
import { rowReader } from './row-lines';
import { binanceVisionReader } from '../user-archives/binance-vision';
import { tardisReader } from '../user-archives/tardis';
import { CSV_HEADERS, type CsvHeader, type CsvKind, isCsvHeader, readCsvHeader } from '../csv/columns';
import { type Json, parseObject } from '../json';
import { type CsvMessage, readCsvRow } from '../csv/read-row';
import { CHANNELS } from '../event';
import { chooseSymbol, openMessages, filesInOrder } from './open-messages';
import { mergeByReceiveTime } from './receive-times';
import type { Batch, MessageKind, Received } from './play-messages';
import { tableTimesOf, TableNormalizer, type TableMessage } from '../user-archives/table-normalizer';

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

const checkedTables: MessageKind<TableMessage> = {
  normalizerOf: (place, log) => new TableNormalizer(place, log, false),
  exchangeTimesOf: tableTimesOf,
};

const NAMED_MAX = 20;

class CsvFaults {
  private readonly named: string[] = [];
  private total = 0;

  add(place: string, sentence: string): void {
    this.total++;
    if (this.named.length < NAMED_MAX) this.named.push(`${place}: ${sentence}`);
  }

  refuse(): void {
    const { named, total } = this;
    if (total === 0) return;
    if (total === 1) throw new RecordingError(named.join());
    const more = total > named.length ? [`… and ${total - named.length} more`] : [];
    throw new RecordingError(`${total} faults in CSV files:\n${[...named, ...more].map((each) => `  ${each}`).join('\n')}`);
  }

  get isEmpty(): boolean {
    return this.total === 0;
  }
}

/** Files of one described instrument, merged by receive time; those of one kind are concatenated in the given order. */
const csvReader: FormatReader = {
  id: 'csv',
  title: `CSV files of any venue, with an instrument description: ${CSV_HEADERS.join('; ')}`,
  example: 'exchange_time_ms,price,size,aggressor_side,trade_id (docs/how-to/recording.md)',
  matches: isCsvHeader,
  open: openFiles,
};

function openFiles(
  files: readonly PeekedFile[],
  requested: string | undefined,
  _rows: readonly InstrumentRow[],
  described: DescribedInstrument | undefined,
): Promise<OpenedRecording> {
  if (described === undefined)
    throw new RecordingError('a CSV names no instrument: describe it, as in --instrument symbol=BTCUSD-PERP,venue=kraken');
  const symbol = chooseSymbol([described.symbol], requested);
  const faults = new CsvFaults();
  const tables = files.flatMap((file) => tableOf(file, described, faults));
  faults.refuse();
  const kinds = new Set(tables.map(({ header }) => header.kind));
  const ofKind = (kind: CsvKind) =>
    filesInOrder(tables.filter(({ header }) => header.kind === kind).map((table) => messageFile(table, tables, faults)));
  const channels = CHANNELS.filter((channel) => channel !== 'control' && kinds.has(channel));
  const merged = mergeByReceiveTime([...kinds].sort().map(ofKind));
  return Promise.resolve(openMessages([symbol], { ...described, channels }, merged, checkedTables, new RecordingNotes()));
}

interface Table {
  readonly name: string;
  readonly header: CsvHeader;
  readonly firstReceivedMs: number | undefined;
  readonly rows: AsyncGenerator<readonly (Received<CsvMessage> | undefined)[]>;
}

function tableOf(
  { name, head, headNumbers, unread }: PeekedFile,
  { contractSize }: DescribedInstrument,
  faults: CsvFaults,
): readonly Table[] {
  const [headerLine = '', firstLine = ''] = head;
  const header = readCsvHeader(headerLine, (sentence) => faults.add(`${name}:${headNumbers[0]}`, sentence));
  if (header === undefined) return [];
  if (firstLine === '') faults.add(`${name}:${headNumbers[0]}`, 'no rows below the header');
  const firstReceivedMs = readCsvRow(firstLine, header, contractSize, () => undefined)?.receivedMs;
  return [{ name, header, firstReceivedMs, rows: readRows(unread, headerLine, { header, contractSize }, faults) }];
}

async function* readRows(
  file: UnreadFile,
  headerLine: string,
  { header, contractSize }: { readonly header: CsvHeader; readonly contractSize: string | undefined },
  faults: CsvFaults,
): AsyncGenerator<readonly (Received<CsvMessage> | undefined)[]> {
  let lineNumber = 0;
  let lastMs = 0;
  let isInOrder = true;
  for await (const lines of file.batches()) {
    const rows: (Received<CsvMessage> | undefined)[] = [];
    for (const line of lines) {
      lineNumber++;
      if (line === '' || line === headerLine) continue;
      const place = `${file.name}:${lineNumber}`;
      const row = readCsvRow(line, header, contractSize, (sentence) => faults.add(place, sentence));
      if (row !== undefined && row.receivedMs < lastMs && isInOrder) {
        isInOrder = false;
        faults.add(place, `its ${header.receivedTime.name} is earlier than in the row above: sort rows by it, oldest first`);
      }
      lastMs = row?.receivedMs ?? lastMs;
      rows.push(row);
    }
    yield rows;
  }
}

function messageFile({ name, firstReceivedMs, rows }: Table, tables: readonly Table[], faults: CsvFaults) {
  async function* messages(): AsyncGenerator<Batch<CsvMessage>> {
    for await (const batch of rows) {
      if (!faults.isEmpty) {
        for (const table of tables) await readToEnd(table);
        faults.refuse();
      }
      yield batch;
    }
  }
  return { name, firstReceivedMs, messages };
}

async function readToEnd({ rows }: Table): Promise<void> {
  while ((await rows.next()).done !== true);
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
