import { cellsOf, columnsOf } from '../csv/columns';
import type { DescribedInstrument, InstrumentRow } from '../played-instrument';
import { hyperliquidInstrument, hyperliquidName } from '../hyperliquid/venue';
import { type HyperliquidMessage, type HyperliquidTrade, bookFault } from '../hyperliquid/parse-frame';
import { HyperliquidNormalizer } from '../hyperliquid/normalizer';
import { secondsToMs } from '../text-forms';
import { adviceOnNames, symbolOfName } from '../venue-name';
import { chooseSymbol, openMessages, tableFacts, filesInOrder, type MessageFile } from './open-messages';
import type { FormatReader, OpenedRecording } from './format';
import { hyperliquidTimesOf } from './hyperliquid-lines';
import { mergeByReceiveTime, checkSeconds } from './receive-times';
import type { PeekedFile, UnreadFile } from './peeked-file';
import type { MessageKind, Received } from './play-messages';
import { RecordingNotes, RecordingError } from './recording-notes';
import type { BookLevel } from '../event';
import { IGNORED, type NotAccepted, rejected, type RejectionReason } from '../rejections';
import { positiveDecimal } from '../decimal';

type CollectorKind = 'orderbooks' | 'prices' | 'trades';

const COLUMNS: readonly (readonly [CollectorKind, readonly string[]])[] = [
  ['orderbooks', ['timestamp', 'exchange_timestamp', 'bid_price_0', 'bid_size_0', 'ask_price_0', 'ask_size_0']],
  ['trades', ['timestamp', 'price', 'size', 'side', 'trade_id', 'exchange_timestamp']],
  ['prices', ['timestamp', 'price', 'size', 'side', 'exchange_timestamp']],
];
const LEVELS = 20;
const ROW_TIME = /^[0-9]{1,15}$/;
const TRADE_ID = /^[0-9]{1,20}$/;

interface CollectorHeader {
  readonly kind: CollectorKind;
  cell(cells: readonly string[], column: string): string;
}

function collectorHeader(line: string): CollectorHeader | undefined {
  const columns = columnsOf(line);
  const kind = COLUMNS.find(([, names]) => names.every((name) => columns.has(name)))?.[0];
  return kind && { kind, cell: (cells, column) => cells[columns.get(column) ?? -1] ?? '' };
}

/**
 * Parses a row. `prices` rows are ignored: the books contain the same best prices at the same times, with sizes. Never
 * throws.
 */
function readCollectorRow(cells: readonly string[], { kind, cell }: CollectorHeader): HyperliquidMessage {
  switch (kind) {
    case 'orderbooks':
      return readBook((column) => cell(cells, column));
    case 'prices':
      return IGNORED;
    case 'trades':
      return { type: 'trades', isAnswer: false, trades: [readTrade((column) => cell(cells, column))] };
  }
}

type CellOf = (column: string) => string;

function readBook(cell: CellOf): HyperliquidMessage {
  const time = cell('exchange_timestamp');
  if (!ROW_TIME.test(time)) return rejected('unknown_message');
  const bids = readSide(cell, 'bid');
  if (typeof bids === 'string') return rejected(bids);
  const asks = readSide(cell, 'ask');
  if (typeof asks === 'string') return rejected(asks);
  const fault = bookFault(bids, asks);
  return fault === undefined ? { type: 'book', timeMs: Number(time), bids, asks } : rejected(fault);
}

function readSide(cell: CellOf, side: 'bid' | 'ask'): BookLevel[] | RejectionReason {
  const levels: BookLevel[] = [];
  for (let level = 0; level < LEVELS; level++) {
    const priceCell = cell(`${side}_price_${level}`);
    if (priceCell === '') break;
    const price = positiveDecimal(priceCell);
    if (price === undefined) return 'bad_price';
    const size = positiveDecimal(cell(`${side}_size_${level}`));
    if (size === undefined) return 'bad_size';
    levels.push({ price, size });
  }
  return levels;
}

function readTrade(cell: CellOf): HyperliquidTrade | NotAccepted {
  const [side, id, time] = [cell('side'), cell('trade_id'), cell('exchange_timestamp')];
  if (!ROW_TIME.test(time) || !TRADE_ID.test(id) || (side !== 'buy' && side !== 'sell')) return rejected('unknown_message');
  const price = positiveDecimal(cell('price'));
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(cell('size'));
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs: Number(time), id, price, size, aggressorSide: side };
}

/** `20251210s2_orderbooks_ETH.csv.gz`: only the file name states the coin. */
const FILE_NAME = /_([^_\s/\\]{1,40})\.csv(?:\.[a-z0-9]+)?$/;
const TIME = 'timestamp';
/** Merge order at equal receive times. */
const KINDS: readonly CollectorKind[] = ['orderbooks', 'prices', 'trades'];

/** Files are merged by receive time; those of one kind are concatenated in the given order. */
export const collectorReader: FormatReader = {
  id: 'hyperliquid-collector',
  title: 'CSV files of a Hyperliquid collector: orderbooks, prices and trades, named *_COIN.csv',
  example: 'timestamp,sequence,exchange_timestamp,bid_price_0,bid_size_0,ask_price_0,ask_size_0,…',
  matches: (line) => collectorHeader(line) !== undefined,
  open: openFiles,
};

const hyperliquidMessages: MessageKind<HyperliquidMessage> = {
  normalizerOf: (place, log) => new HyperliquidNormalizer(place, log),
  exchangeTimesOf: hyperliquidTimesOf,
};

async function openFiles(
  files: readonly PeekedFile[],
  requested: string | undefined,
  rows: readonly InstrumentRow[],
  described?: DescribedInstrument,
): Promise<OpenedRecording> {
  const coins = [...new Set(files.map(coinOfFile))];
  const symbolsOf = (coin: string): readonly string[] =>
    coin === described?.venueInstrument ? [described.symbol] : symbolOfName(hyperliquidName(coin));
  const coinOf = new Map(coins.flatMap((coin) => symbolsOf(coin).map((symbol) => [symbol, coin] as const)));
  const symbols = [...coinOf.keys()];
  const symbol = chooseSymbol(symbols, requested, adviceOnNames(coins, 'hyperliquid', hyperliquidName));
  const played = files.filter((file) => coinOfFile(file) === coinOf.get(symbol));
  for (const file of files) if (!played.includes(file)) await file.unread.close();
  const tables = played.flatMap((file) => {
    const header = collectorHeader(file.head[0] ?? '');
    return header === undefined ? [] : [{ file, header }];
  });
  for (const { file, header } of tables)
    checkSeconds(file, (line) => (line === file.head[0] ? undefined : header.cell(cellsOf(line), TIME)));
  const kinds = new Set(tables.map(({ header }) => header.kind));
  const channels = [...(kinds.has('orderbooks') ? ['book' as const] : []), ...(kinds.has('trades') ? ['trade' as const] : [])];
  const instrument = hyperliquidInstrument(symbol, coinOf.get(symbol) ?? '', channels);
  const sources = KINDS.filter((kind) => kinds.has(kind)).map((kind) =>
    filesInOrder(tables.filter(({ header }) => header.kind === kind).map(({ file, header }) => messageFile(file, header))),
  );
  return openMessages(symbols, tableFacts(instrument, rows), mergeByReceiveTime(sources), hyperliquidMessages, new RecordingNotes());
}

function coinOfFile({ name }: PeekedFile): string {
  const coin = FILE_NAME.exec(name)?.[1];
  if (coin === undefined) throw new RecordingError(`${name}: the file name must end with _COIN.csv, which names the coin`);
  return coin;
}

function messageFile(
  { name, head: [headerLine = '', first = ''], unread }: PeekedFile,
  header: CollectorHeader,
): MessageFile<HyperliquidMessage> {
  return { name, firstReceivedMs: readRow(first, header)?.receivedMs, messages: () => readRows(unread, headerLine, header) };
}

async function* readRows(
  file: UnreadFile,
  headerLine: string,
  header: CollectorHeader,
): AsyncGenerator<readonly (Received<HyperliquidMessage> | undefined)[]> {
  for await (const lines of file.batches()) {
    yield lines.filter((line) => line !== '' && line !== headerLine).map((line) => readRow(line, header));
  }
}

function readRow(line: string, header: CollectorHeader): Received<HyperliquidMessage> | undefined {
  const cells = cellsOf(line);
  const receivedMs = secondsToMs(header.cell(cells, TIME));
  return receivedMs === undefined ? undefined : { receivedMs, message: readCollectorRow(cells, header) };
}
