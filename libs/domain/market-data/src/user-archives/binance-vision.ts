import { cellsOf, columnsOf, type TimeUnit } from '../csv/columns';
import { timeOfCell } from '../csv/read-row';
import { decimalAsSent, unsignedAsSent, fundingOf } from '../decimal';
import type { PlayedInstrument } from '../played-instrument';
import { binanceCoinmLines, binanceUsdmLines } from '../recordings/binance-lines';
import type { FormatReader } from '../recordings/format';
import type { LineFormat } from '../recordings/line-format';
import type { PeekedFile } from '../recordings/peeked-file';
import { RecordingError } from '../recordings/recording-notes';
import { type ArchiveFile, archiveTables, type FileKind, openArchive, type RowReader } from './open-tables';
import { positive, quoted, rowCells, RowError } from './row-values';
import type { TableMessage } from './table-normalizer';

/**
 * Futures files of https://data.binance.vision, as in https://github.com/binance/binance-public-data. They have venue
 * times only; older ones have no header.
 */
const COLUMNS = {
  aggTrades: ['agg_trade_id', 'price', 'quantity', 'first_trade_id', 'last_trade_id', 'transact_time', 'is_buyer_maker'],
  bookDepth: ['timestamp', 'percentage', 'depth', 'notional'],
  metrics: ['create_time', 'symbol', 'sum_open_interest', 'sum_open_interest_value'],
  fundingRate: ['calc_time', 'funding_interval_hours', 'last_funding_rate'],
} as const;
type VisionKind = keyof typeof COLUMNS;
const KIND_NAMES = Object.keys(COLUMNS) as readonly VisionKind[];
const TRADE_ROW = /^\d+,[\d.]+,[\d.]+,\d+,\d+,\d{13},(?:true|false)(,(?:true|false))?$/i;

function kindOfHeader(line: string): VisionKind | undefined {
  const names = cellsOf(line);
  return KIND_NAMES.find((kind) => COLUMNS[kind].every((column) => names.includes(column)));
}

/** Symbol and kind: `BTCUSDT-aggTrades-2024-01-01.zip`. */
const FILE_NAME =
  /([A-Z0-9]+(?:_(?:PERP|\d{6}))?)-(aggTrades|bookDepth|metrics|fundingRate)-\d{4}-\d{2}(?:-\d{2})?\.(?:csv|zip)(?:\.[a-z0-9]+)?$/;

function archiveFile(file: PeekedFile): ArchiveFile<TableMessage> {
  const { name, head, headNumbers } = file;
  const [first = ''] = head;
  const kind = kindOfHeader(first) ?? 'aggTrades';
  if (TRADE_ROW.exec(first)?.[1] !== undefined)
    throw new RecordingError(
      `${name}:${headNumbers[0]}: aggregate trades of Binance spot, which is not supported: use futures/um or futures/cm`,
    );
  const [, symbol, named] = FILE_NAME.exec(name) ?? [];
  if (symbol === undefined || named !== kind)
    throw new RecordingError(
      `${name}: ${kind} of Binance Vision; keep the published name, which states the symbol, as in BTCUSDT-${kind}-2024-01-01.zip`,
    );
  if (kind === 'metrics' && symbol.includes('_'))
    throw new RecordingError(`${name}: open interest of COIN-M is in contracts, and no price is stated to convert it: leave this file out`);
  return { file, kind: KINDS[kind], ...(kindOfHeader(first) !== undefined && { header: first }), instruments: [symbol] };
}

const BANDS =
  'bookDepth states depth within 0.2 to 5 percent of the mid, not prices with sizes: its rows are checked, and there is no book of them';

export const binanceVisionReader: FormatReader = {
  id: 'binance-vision',
  title: 'Binance Vision futures files: aggTrades, bookDepth, metrics, fundingRate',
  example: COLUMNS.aggTrades.join(),
  matches: (line) => kindOfHeader(line) !== undefined || TRADE_ROW.test(line),
  async open(files, requested, rows, described) {
    const read = files.map(archiveFile);
    if (read.every(({ kind }) => kind.channel === undefined)) throw new RecordingError(`${BANDS}: add aggTrades, metrics or fundingRate`);
    const isInverse = read.some(({ instruments }) => instruments.some((name) => name.includes('_')));
    const venue = (isInverse ? binanceCoinmLines : binanceUsdmLines) as LineFormat<never>;
    const remarks = read.some(({ kind }) => kind.name === 'bookDepth') ? [BANDS] : [];
    return openArchive({ ...archiveTables, files: read, venue, venueName: venue.venue, remarks }, requested, rows, described);
  },
};

type Cell = (column: string) => string;

const KINDS: Readonly<Record<VisionKind, FileKind<TableMessage>>> = {
  aggTrades: { name: 'aggTrades', channel: 'trade', readerOf: readerOf('aggTrades', readTrade) },
  bookDepth: { name: 'bookDepth', channel: undefined, readerOf: readerOf('bookDepth', checkBand) },
  metrics: { name: 'metrics', channel: 'context', isSparse: true, readerOf: readerOf('metrics', readMetrics) },
  fundingRate: { name: 'fundingRate', channel: 'context', isSparse: true, readerOf: readerOf('fundingRate', readFunding) },
};

function readerOf(kind: VisionKind, read: (cell: Cell) => (TableMessage & { readonly timeMs: number }) | undefined) {
  return (_: PlayedInstrument, { head: [first = ''] }: PeekedFile): RowReader<TableMessage> => {
    const columns = columnsOf(kindOfHeader(first) === undefined ? COLUMNS[kind].join() : first);
    return {
      read(line) {
        const cells = rowCells(line);
        if (cells.length !== columns.size) throw new RowError(`row has ${cells.length} cells, not ${columns.size}`);
        const message = read((column) => cells[columns.get(column) ?? -1] ?? '');
        return message && { receivedMs: message.timeMs, message };
      },
    };
  };
}

function timeOf(cell: Cell, column: string, unit: TimeUnit): number {
  const timeMs = timeOfCell(cell(column), unit);
  if (timeMs === undefined) throw new RowError(`${column} ${quoted(cell(column))} is not a time`);
  return timeMs;
}

/** Base units; contracts on COIN-M. The buyer is the maker: the seller was the aggressor. */
function readTrade(cell: Cell): TableMessage & { readonly timeMs: number } {
  const [id, isBuyerMaker] = [cell('agg_trade_id'), cell('is_buyer_maker').toLowerCase()];
  if (!/^\d{1,15}$/.test(id)) throw new RowError(`agg_trade_id ${quoted(id)} is not a number`);
  if (isBuyerMaker !== 'true' && isBuyerMaker !== 'false')
    throw new RowError(`is_buyer_maker ${quoted(isBuyerMaker)} is not true or false`);
  return {
    type: 'trade',
    timeMs: timeOf(cell, 'transact_time', 'ms'),
    id,
    number: Number(id),
    price: positive(cell('price'), 'price'),
    size: positive(cell('quantity'), 'amount'),
    aggressorSide: isBuyerMaker === 'true' ? 'sell' : 'buy',
  };
}

function checkBand(cell: Cell): undefined {
  timeOf(cell, 'timestamp', 'utc');
  for (const column of ['depth', 'notional']) number(cell, column, unsignedAsSent);
  number(cell, 'percentage', decimalAsSent);
}

function readMetrics(cell: Cell): TableMessage & { readonly timeMs: number } {
  return {
    type: 'context',
    timeMs: timeOf(cell, 'create_time', 'utc'),
    facts: { openInterest: number(cell, 'sum_open_interest', unsignedAsSent) },
  };
}

function readFunding(cell: Cell): TableMessage & { readonly timeMs: number } {
  const hours = cell('funding_interval_hours');
  if (!/^[1-9]\d{0,2}$/.test(hours)) throw new RowError(`funding_interval_hours ${quoted(hours)} is not a whole number of hours`);
  const facts = fundingOf(number(cell, 'last_funding_rate', decimalAsSent), Number(hours));
  return { type: 'context', timeMs: timeOf(cell, 'calc_time', 'ms'), facts };
}

function number(cell: Cell, column: string, read: (text: string) => string | undefined): string {
  const value = read(cell(column));
  if (value === undefined) throw new RowError(`${column} ${quoted(cell(column))} is not a valid number`);
  return value;
}
