import { CSV_HEADERS, type CsvHeader, type CsvKind, isCsvHeader, readCsvHeader } from '../csv/columns';
import { type CsvMessage, readCsvRow } from '../csv/read-row';
import { CHANNELS } from '../event';
import type { DescribedInstrument, InstrumentRow } from '../played-instrument';
import { chooseSymbol, openMessages, filesInOrder } from './open-messages';
import type { FormatReader, OpenedRecording } from './format';
import { mergeByReceiveTime } from './receive-times';
import type { PeekedFile, UnreadFile } from './peeked-file';
import type { Batch, MessageKind, Received } from './play-messages';
import { RecordingNotes } from './recording-notes';
import { RecordingError } from './recording-errors';
import { tableTimesOf, TableNormalizer, type TableMessage } from '../user-archives/table-normalizer';

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
export const csvReader: FormatReader = {
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
