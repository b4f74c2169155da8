import { cellsOf } from '../csv/columns';
import type { DescribedInstrument, InstrumentRow } from '../played-instrument';
import { type CollectorHeader, collectorHeader, type CollectorKind, readCollectorRow } from '../hyperliquid/collector-row';
import { hyperliquidInstrument, hyperliquidName } from '../hyperliquid/instrument';
import type { HyperliquidMessage } from '../hyperliquid/message';
import { HyperliquidNormalizer } from '../hyperliquid/normalizer';
import { secondsToMs } from '../receive-time';
import { adviceOnNames, symbolOfName } from '../venue-name';
import { chooseSymbol, openMessages, tableFacts, filesInOrder, type MessageFile } from './open-messages';
import type { FormatReader, OpenedRecording } from './format';
import { hyperliquidTimesOf } from './hyperliquid-lines';
import { mergeByReceiveTime, checkSeconds } from './receive-times';
import type { PeekedFile, UnreadFile } from './peeked-file';
import type { MessageKind, Received } from './play-messages';
import { RecordingNotes } from './recording-notes';
import { RecordingError } from './recording-errors';

/** `20251210s2_orderbooks_ETH.csv.gz`: the coin stands in the name alone. */
const FILE_NAME = /_([^_\s/\\]{1,40})\.csv(?:\.[a-z0-9]+)?$/;
/** Column of the receive time, decimal seconds. */
const TIME = 'timestamp';
/** Which file a row of an equal receive time is taken from first. */
const KINDS: readonly CollectorKind[] = ['orderbooks', 'prices', 'trades'];

/**
 * CSV files of a Hyperliquid collector: books, best prices and trades of a coin in a file each, merged by receive time. Files
 * of one kind follow each other in the order given.
 */
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
  asked: string | undefined,
  rows: readonly InstrumentRow[],
  described?: DescribedInstrument,
): Promise<OpenedRecording> {
  const coins = [...new Set(files.map(coinOfFile))];
  const symbolsOf = (coin: string): readonly string[] =>
    coin === described?.venueInstrument ? [described.symbol] : symbolOfName(hyperliquidName(coin));
  const coinOf = new Map(coins.flatMap((coin) => symbolsOf(coin).map((symbol) => [symbol, coin] as const)));
  const symbols = [...coinOf.keys()];
  const symbol = chooseSymbol(symbols, asked, adviceOnNames(coins, 'hyperliquid', hyperliquidName));
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
  if (coin === undefined) throw new RecordingError(`${name}: the name of a collector file ends with _COIN.csv, which tells the coin`);
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
