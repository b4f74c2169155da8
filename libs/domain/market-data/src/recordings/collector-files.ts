import type { InstrumentRow } from '../played-instrument';
import { collectorKindOf, type CollectorKind, readCollectorRow } from '../hyperliquid/collector-row';
import { hyperliquidInstrument, hyperliquidSymbolOf } from '../hyperliquid/instrument';
import type { HyperliquidMessage } from '../hyperliquid/message';
import { HyperliquidNormalizer } from '../hyperliquid/normalizer';
import { secondsToMs } from '../receive-time';
import { chooseSymbol } from './choose-symbol';
import { filesInOrder, type MessageFile } from './files-in-order';
import type { FormatReader, OpenedRecording } from './format';
import { hyperliquidTimesOf } from './hyperliquid-lines';
import { mergeByReceiveTime } from './merge-by-receive-time';
import { type MessageKind, openMessages, tableFacts } from './open-messages';
import type { PeekedFile, UnreadFile } from './peeked-file';
import type { Received } from './play-messages';
import { RecordingNotes } from './recording-notes';
import { checkSeconds } from './receive-times';
import { RecordingError } from './recording-errors';

/** `20251210s2_orderbooks_ETH.csv.gz`: the coin stands in the name alone. */
const FILE_NAME = /_([A-Za-z0-9]{1,20})\.csv(?:\.[a-z0-9]+)?$/;
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
  matches: (line) => collectorKindOf(line) !== undefined,
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
): Promise<OpenedRecording> {
  const coins = new Map(files.map((file) => [symbolOfFile(file), coinOfFile(file)]));
  const symbols = [...coins.keys()];
  const symbol = chooseSymbol(symbols, asked);
  const played = files.filter((file) => symbolOfFile(file) === symbol);
  for (const file of files) if (!played.includes(file)) await file.unread.close();
  for (const file of played) checkSeconds(file, (line) => (line === file.head[0] ? undefined : line.slice(0, line.indexOf(','))));
  const kinds = new Set(played.map(kindOfFile));
  const channels = [...(kinds.has('orderbooks') ? ['book' as const] : []), ...(kinds.has('trades') ? ['trade' as const] : [])];
  const instrument = hyperliquidInstrument(symbol, coins.get(symbol) ?? '', channels);
  const sources = KINDS.filter((kind) => kinds.has(kind)).map((kind) =>
    filesInOrder(played.filter((file) => kindOfFile(file) === kind).map((file) => messageFile(file, kind))),
  );
  return openMessages(symbols, tableFacts(instrument, rows), mergeByReceiveTime(sources), hyperliquidMessages, new RecordingNotes());
}

function coinOfFile({ name }: PeekedFile): string {
  const coin = FILE_NAME.exec(name)?.[1];
  if (coin === undefined) throw new RecordingError(`${name}: the name of a collector file ends with _COIN.csv, which tells the coin`);
  return coin;
}

function symbolOfFile(file: PeekedFile): string {
  const coin = coinOfFile(file);
  return hyperliquidSymbolOf(coin) ?? coin;
}

function kindOfFile({ head: [header = ''] }: PeekedFile): CollectorKind | undefined {
  return collectorKindOf(header);
}

function messageFile({ name, head: [header = '', first = ''], unread }: PeekedFile, kind: CollectorKind): MessageFile<HyperliquidMessage> {
  return { name, firstReceivedMs: readRow(first, kind)?.receivedMs, messages: () => readRows(unread, header, kind) };
}

async function* readRows(
  file: UnreadFile,
  header: string,
  kind: CollectorKind,
): AsyncGenerator<readonly (Received<HyperliquidMessage> | undefined)[]> {
  for await (const lines of file.batches()) {
    yield lines.filter((line) => line !== '' && line !== header).map((line) => readRow(line, kind));
  }
}

function readRow(line: string, kind: CollectorKind): Received<HyperliquidMessage> | undefined {
  const receivedMs = secondsToMs(line.slice(0, line.indexOf(',')));
  return receivedMs === undefined ? undefined : { receivedMs, message: readCollectorRow(line, kind) };
}
