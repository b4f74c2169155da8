import { CSV_HEADERS, type CsvHeader, type CsvKind, isCsvHeader, readCsvHeader } from '../csv/columns';
import { type CsvMessage, readCsvRow, type CsvBook, type CsvLevels } from '../csv/read-row';
import { CHANNELS } from '../event';
import type { DescribedInstrument, InstrumentRow } from '../played-instrument';
import { chooseSymbol, openMessages, filesInOrder } from './open-messages';
import type { FormatReader, OpenedRecording } from './format';
import { mergeByReceiveTime } from './receive-times';
import type { PeekedFile, UnreadFile } from './peeked-file';
import type { Batch, Received } from './play-messages';
import { RecordingNotes } from './recording-notes';
import { RecordingError } from './recording-errors';
import { BookSampler, type ChangingBook } from '../book-sampler';
import { BookSide } from '../book-side';
import { inverseSize } from '../inverse-size';
import type { LogPosition, LogWriter } from '../log-writer';
import type { Normalizer } from '../normalizer';
import { RecentIds } from '../recent-ids';
import { noRejections, type RejectionReason } from '../rejections';
import { timeFault } from '../feed-clock';

class WholeBook implements ChangingBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  lastChangeMs = 0;

  get lastId(): number {
    return this.lastChangeMs;
  }

  replace({ timeMs, bids, asks }: CsvBook): void {
    this.lastChangeMs = timeMs;
    fill(this.bids, bids);
    fill(this.asks, asks);
  }
}

function fill(side: BookSide, { prices, sizes }: CsvLevels): void {
  side.clear();
  prices.forEach((price, index) => side.set(price, sizes[index] ?? 0));
}

/** Trades without ids, contexts and liquidations are numbered within the recording. */
class CsvNormalizer implements Normalizer<CsvMessage> {
  readonly rejections = noRejections();
  private readonly book = new WholeBook();
  private readonly sampler: BookSampler;
  private readonly tradeIds = new RecentIds();
  private entryTotal = 0;
  private lastExchangeMs = 0;

  constructor(
    private readonly place: LogPosition,
    private readonly log: LogWriter,
  ) {
    this.sampler = new BookSampler(place, log, this.book, this.rejections);
  }

  accept(message: CsvMessage): void {
    const fault = timeFault(message.timeMs, this.log.clockMs);
    if (fault !== undefined) return this.reject(fault);
    if (message.type === 'book' && message.timeMs < this.book.lastChangeMs) return this.reject('duplicate');
    if (message.type === 'trade' && message.id !== undefined && !this.tradeIds.add(message.id)) return this.reject('duplicate');
    this.lastExchangeMs = Math.max(this.lastExchangeMs, message.timeMs);
    this.sampler.message(message.timeMs);
    this.write(message);
  }

  tick(): void {
    this.sampler.tick();
  }

  finish(): void {
    this.sampler.finish(this.lastExchangeMs);
  }

  private write(message: CsvMessage): void {
    const { timeMs: exchangeTsMs } = message;
    switch (message.type) {
      case 'book':
        this.book.replace(message);
        return this.sampler.restored(exchangeTsMs);
      case 'trade': {
        const { id, price, aggressorSide } = message;
        return this.log.trade({ venueId: id ?? this.nextId(), exchangeTsMs, price, ...this.sizesOf(message), aggressorSide });
      }
      case 'liquidation': {
        const { price, positionSide } = message;
        const sizes = this.sizesOf(message);
        return this.log.liquidation({ venueId: this.nextId(), exchangeTsMs, positionSide, price, ...sizes, provenance: 'venue_reported' });
      }
      case 'context':
        return this.log.context({ venueId: this.nextId(), ...message.facts }, exchangeTsMs);
    }
  }

  private sizesOf({ price, size }: { readonly price: string; readonly size: string }): { size: string; venueSize?: string } {
    const { contractValue } = this.place.instrument;
    return contractValue === undefined ? { size } : { size: inverseSize(size, contractValue, price), venueSize: size };
  }

  private nextId(): string {
    return String(++this.entryTotal);
  }

  private reject(reason: RejectionReason): void {
    this.rejections[reason]++;
  }
}

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
  const exchangeTimesOf = ({ type, timeMs }: CsvMessage): readonly number[] => (type === 'context' ? [] : [timeMs]);
  const kind = { normalizerOf: (...place: ConstructorParameters<typeof CsvNormalizer>) => new CsvNormalizer(...place), exchangeTimesOf };
  return Promise.resolve(openMessages([symbol], { ...described, channels }, merged, kind, new RecordingNotes()));
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
