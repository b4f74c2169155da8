import { positiveAsSent, unsignedAsSent, decimalAsSent, fundingOf, inverseSize } from '../decimal';
import { cellsOf, columnsOf } from '../csv/columns';
import type { Levels } from '../book-side';
import { type CsvContext, timeOfCell } from '../csv/read-row';
import type { PlayedInstrument } from '../played-instrument';
import { binanceCoinmLines, binanceUsdmLines } from '../recordings/binance-lines';
import type { FormatReader } from '../recordings/format';
import { hyperliquidWsLines } from '../recordings/hyperliquid-lines';
import type { LineFormat } from '../recordings/line-format';
import type { PeekedFile } from '../recordings/peeked-file';
import type { Received } from '../recordings/play-messages';
import { RecordingError } from '../recordings/recording-notes';
import { bybitInverseStreamLines, bybitStreamLines } from '../bybit/stream-lines';
import { isInverseName } from '../bybit/venue';
import { krakenStreamLines } from '../kraken/stream-lines';
import { okxStreamLines } from '../okx/stream-lines';
import { type ArchiveFile, archiveTables, type FileKind, openArchive, type RowReader } from './open-tables';
import { emptyLevels, type GrowingLevels, level, quoted, rowCells, RowError, sized, positive } from './row-values';
import type { BookChanges, TableMessage } from './table-normalizer';

/** Cells of a row by column, and its times. */
class TardisRow {
  private cells: readonly string[] = [];
  private readonly columns: ReadonlyMap<string, number>;

  constructor(
    readonly instrument: PlayedInstrument,
    file: PeekedFile,
  ) {
    this.columns = columnsOf(file.head[0] ?? '');
  }

  indexOf(column: string): number {
    return this.columns.get(column) ?? -1;
  }

  at(index: number): string {
    return this.cells[index] ?? '';
  }

  cell(column: string): string {
    return this.at(this.indexOf(column));
  }

  /** False for a row of another instrument. */
  take(line: string): boolean {
    this.cells = rowCells(line);
    const { length } = this.cells;
    if (length !== this.columns.size) throw new RowError(`row has ${length} cells, the header has ${this.columns.size}`);
    return this.cell('symbol') === this.instrument.venueInstrument;
  }

  time(column: 'timestamp' | 'local_timestamp'): number {
    const timeMs = timeOfCell(this.cell(column), 'us');
    if (timeMs === undefined) throw new RowError(`${column} ${quoted(this.cell(column))} is not microseconds since 1970`);
    return timeMs;
  }

  side<T extends string>(words: readonly [T, T], remark = ''): T {
    const text = this.cell('side');
    const word = words.find((each) => each === text);
    if (word === undefined) throw new RowError(`side ${quoted(text)} is not ${words.join(' or ')}${remark}`);
    return word;
  }

  priceAndSize(): { readonly price: string; readonly size: string } {
    return { price: positive(this.cell('price'), 'price'), size: sized(positive(this.cell('amount'), 'amount'), this.instrument) };
  }

  optional(column: string, read: (text: string) => string | undefined): string | undefined {
    const text = this.cell(column);
    if (text === '') return undefined;
    const value = read(text);
    if (value === undefined) throw new RowError(`${column} ${quoted(text)} is not a valid number`);
    return value;
  }
}

/**
 * CSV files of Tardis, as in https://docs.tardis.dev/downloadable-csv-files/data-types: times in microseconds, amounts
 * in the venue's unit, `side` of a trade is the aggressor's.
 */
const COMMON = ['exchange', 'symbol', 'timestamp', 'local_timestamp'] as const;
const COLUMNS = {
  incremental_book_L2: ['is_snapshot', 'side', 'price', 'amount'],
  book_snapshot: ['asks[0].price', 'asks[0].amount', 'bids[0].price', 'bids[0].amount'],
  derivative_ticker: ['funding_timestamp', 'funding_rate', 'open_interest', 'index_price', 'mark_price'],
  trades: ['id', 'side', 'price', 'amount'],
} as const;

type TardisKind = keyof typeof COLUMNS | 'liquidations';

/** Trades and liquidations have the same columns: only the file's name separates them. */
function kindOf(file: PeekedFile): TardisKind {
  const { name, head } = file;
  const columns = columnsOf(head[0] ?? '');
  const kind = (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).find((each) => COLUMNS[each].every((column) => columns.has(column)));
  if (kind === undefined)
    throw new RecordingError(
      `${name}:1: Tardis columns of no supported file: use incremental_book_L2, book_snapshot_25 or _5, trades, derivative_ticker or liquidations`,
    );
  if (kind !== 'trades') return kind;
  const isLiquidations = /liquidations/i.test(name);
  if (isLiquidations === /trades/i.test(name))
    throw new RecordingError(`${name}: trades and liquidations have the same columns; the file name must contain one of the two words`);
  return isLiquidations ? 'liquidations' : 'trades';
}

const KINDS: Readonly<Record<TardisKind, FileKind<TableMessage>>> = {
  incremental_book_L2: { name: 'incremental_book_L2', channel: 'book', readerOf: changesReader },
  book_snapshot: { name: 'book_snapshot', channel: 'book', readerOf: rowReader(readSnapshot) },
  derivative_ticker: { name: 'derivative_ticker', channel: 'context', readerOf: tickerReader },
  liquidations: { name: 'liquidations', channel: 'liquidation', readerOf: rowReader(readLiquidation) },
  trades: { name: 'trades', channel: 'trade', readerOf: rowReader(readTrade) },
};

export const tardisReader: FormatReader = {
  id: 'tardis-csv',
  title: 'Tardis CSV files: incremental_book_L2, book_snapshot_25, trades, derivative_ticker, liquidations',
  example: 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
  matches: (line) => COMMON.every((name) => cellsOf(line).includes(name)),
  async open(files, requested, rows, described) {
    const read = files.map(
      (file): ArchiveFile<TableMessage> => ({
        file,
        kind: KINDS[kindOf(file)],
        header: file.head[0] ?? '',
        instruments: valuesOf(file, 'symbol'),
      }),
    );
    const exchanges = [...new Set(files.flatMap((file) => valuesOf(file, 'exchange')))];
    const [exchange = ''] = exchanges;
    if (exchanges.length > 1) throw new RecordingError(`files of several exchanges (${exchanges.join(', ')}): label one at a time`);
    const names = read.flatMap(({ instruments }) => instruments);
    const books = new Set(read.map(({ kind }) => kind).filter(({ channel }) => channel === 'book'));
    if (books.size > 1) throw new RecordingError('files of two kinds of books: pass incremental_book_L2 or book_snapshot files, not both');
    const archive = { ...archiveTables, files: read, venue: venueOf(exchange, names), venueName: exchange, remarks: [] };
    return openArchive(archive, requested, rows, described);
  },
};

const VENUES = new Map<string, LineFormat<never>>([
  ['binance-futures', binanceUsdmLines as LineFormat<never>],
  ['binance-delivery', binanceCoinmLines as LineFormat<never>],
  ['okex-swap', okxStreamLines as LineFormat<never>],
  ['hyperliquid', hyperliquidWsLines as LineFormat<never>],
  ['cryptofacilities', krakenStreamLines as LineFormat<never>],
]);

/** Tardis has one name for both markets of Bybit. */
function venueOf(exchange: string, names: readonly string[]): LineFormat<never> | undefined {
  if (exchange !== 'bybit') return VENUES.get(exchange);
  return (names.every(isInverseName) ? bybitInverseStreamLines : bybitStreamLines) as LineFormat<never>;
}

function valuesOf(file: PeekedFile, column: 'exchange' | 'symbol'): readonly string[] {
  const index = columnsOf(file.head[0] ?? '').get(column) ?? -1;
  return [...new Set(file.head.slice(1).map((line) => rowCells(line)[index] ?? ''))].filter((value) => value !== '');
}

function rowReader(read: (row: TardisRow, timeMs: number) => TableMessage) {
  return (instrument: PlayedInstrument, file: PeekedFile): RowReader<TableMessage> => {
    const row = new TardisRow(instrument, file);
    return {
      read: (line) => (row.take(line) ? { receivedMs: row.time('local_timestamp'), message: read(row, row.time('timestamp')) } : undefined),
    };
  };
}

/** Rows of one message share both times. */
function changesReader(instrument: PlayedInstrument, file: PeekedFile): RowReader<TableMessage> {
  const row = new TardisRow(instrument, file);
  const [local, exchange, snapshot, price, amount] = ['local_timestamp', 'timestamp', 'is_snapshot', 'price', 'amount'].map((name) =>
    row.indexOf(name),
  ) as [number, number, number, number, number];
  let key = ['', '', ''];
  let open: (Received<BookChanges> & { readonly bids: GrowingLevels; readonly asks: GrowingLevels }) | undefined;

  function end(): Received<TableMessage> | undefined {
    const ended = open;
    open = undefined;
    return ended && { receivedMs: ended.receivedMs, message: ended.message };
  }

  return {
    end,
    read(line) {
      if (!row.take(line)) return undefined;
      const side = row.side(['bid', 'ask']);
      const [priceNumber, size] = level(row.at(price), row.at(amount), instrument);
      let ended: Received<TableMessage> | undefined;
      if (open === undefined || row.at(local) !== key[0] || row.at(exchange) !== key[1] || row.at(snapshot) !== key[2]) {
        const [timeMs, receivedMs, isSnapshot] = [row.time('timestamp'), row.time('local_timestamp'), row.at(snapshot)];
        if (isSnapshot !== 'true' && isSnapshot !== 'false') throw new RowError(`is_snapshot ${quoted(isSnapshot)} is not true or false`);
        ended = end();
        const [bids, asks] = [emptyLevels(), emptyLevels()];
        key = [row.at(local), row.at(exchange), isSnapshot];
        open = { receivedMs, bids, asks, message: { type: 'changes', timeMs, isSnapshot: isSnapshot === 'true', bids, asks } };
      }
      const levels = side === 'bid' ? open.bids : open.asks;
      levels.prices.push(priceNumber);
      levels.sizes.push(size);
      return ended;
    },
  };
}

function readSnapshot(row: TardisRow, timeMs: number): TableMessage {
  const [bids, asks] = [readSide(row, 'bids'), readSide(row, 'asks')];
  if ((bids.prices[0] ?? 0) > (asks.prices[0] ?? Infinity))
    throw new RowError(`the best bid ${bids.prices[0]} is above the best ask ${asks.prices[0]}`, 'crossed_book');
  return { type: 'book', timeMs, bids, asks };
}

function readSide(row: TardisRow, side: 'bids' | 'asks'): Levels {
  const levels = emptyLevels();
  for (let index = 0; row.cell(`${side}[${index}].price`) !== ''; index++) {
    const [price, size] = level(row.cell(`${side}[${index}].price`), row.cell(`${side}[${index}].amount`), row.instrument);
    levels.prices.push(price);
    levels.sizes.push(size);
  }
  return levels;
}

function readTrade(row: TardisRow, timeMs: number): TableMessage {
  const id = row.cell('id');
  const aggressorSide = row.side(['buy', 'sell'], ': the aggressor is not known');
  return { type: 'trade', timeMs, ...(id !== '' && { id }), ...row.priceAndSize(), aggressorSide };
}

/** `buy`: a short position was closed; `sell`: a long one. */
function readLiquidation(row: TardisRow, timeMs: number): TableMessage {
  const positionSide = row.side(['buy', 'sell']) === 'buy' ? 'short' : 'long';
  return { type: 'liquidation', timeMs, ...row.priceAndSize(), positionSide };
}

const HOUR_US = 3_600_000_000;

/** No column states the hours between payments: they are known once the time of the next payment moves. */
function tickerReader(instrument: PlayedInstrument, file: PeekedFile): RowReader<TableMessage> {
  let nextPayment = '';
  let intervalHours: number | undefined;
  return rowReader((row, timeMs) => {
    const payment = row.cell('funding_timestamp');
    if (payment !== '') {
      const hours = (Number(payment) - Number(nextPayment)) / HOUR_US;
      if (nextPayment !== '' && Number.isSafeInteger(hours) && hours > 0) intervalHours = hours;
      nextPayment = payment;
    }
    const markPrice = row.optional('mark_price', positiveAsSent);
    const fundingRate = row.optional('funding_rate', decimalAsSent);
    const facts = Object.entries({
      ...(fundingRate !== undefined && fundingOf(fundingRate, intervalHours)),
      openInterest: baseUnits(row.optional('open_interest', unsignedAsSent), markPrice, instrument),
      markPrice,
      oraclePrice: row.optional('index_price', positiveAsSent),
    }).filter(([, value]) => value !== undefined);
    return { type: 'context', timeMs, facts: Object.fromEntries(facts) as CsvContext['facts'] };
  })(instrument, file);
}

function baseUnits(interest: string | undefined, mark: string | undefined, instrument: PlayedInstrument): string | undefined {
  if (interest === undefined || instrument.contractValue === undefined) return interest && sized(interest, instrument);
  return mark === undefined ? undefined : inverseSize(interest, instrument.contractValue, mark);
}
