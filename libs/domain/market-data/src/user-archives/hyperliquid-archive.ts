import { cellsOf, columnsOf } from '../csv/columns';
import { hyperliquidInstrument } from '../hyperliquid/venue';
import { type HyperliquidMessage, readArchivedTrade, readAssetContext, readFrame } from '../hyperliquid/parse-frame';
import { HyperliquidNormalizer } from '../hyperliquid/normalizer';
import { isObject, parseObject } from '../json';
import type { PlayedInstrument } from '../played-instrument';
import { parseUtcInstant } from '../text-forms';
import { isOversized, rejected } from '../rejections';
import { type ArchiveFile, type FileKind, openArchive, type RowReader } from './open-tables';
import { quoted, RowError } from './row-values';
import type { FormatReader } from '../recordings/format';
import { hyperliquidTimesOf, hyperliquidWsLines } from '../recordings/hyperliquid-lines';
import type { LineFormat } from '../recordings/line-format';
import type { PeekedFile } from '../recordings/peeked-file';

type HyperliquidKind = 'l2Book' | 'node_trades' | 'asset_ctxs';

/** Usual field order, which also matches truncated lines. Anything else is parsed. */
const BOOK_LINE = /^\{\s*"time"\s*:\s*"[^"]{1,40}"\s*,\s*"ver_num"\s*:\s*[0-9]{1,9}\s*,\s*"raw"\s*:\s*\{/;
/** Times inside frames are numbers, so they do not match. */
const BOOK_TIME = /"time"\s*:\s*"([^"]{1,40})"/;
const COIN = /"coin"\s*:\s*"([^"]{1,40})"/;
const CONTEXT_COLUMNS = ['time', 'coin', 'funding', 'open_interest', 'oracle_px', 'mark_px', 'mid_px', 'day_ntl_vlm'];

function kindOf(line: string): HyperliquidKind | undefined {
  if (BOOK_LINE.test(line)) return 'l2Book';
  if (!line.startsWith('{')) return CONTEXT_COLUMNS.every((name) => cellsOf(line).includes(name)) ? 'asset_ctxs' : undefined;
  const { time, raw, side_info: sides } = parseObject(line) ?? {};
  if (typeof time !== 'string') return undefined;
  if (Array.isArray(sides)) return 'node_trades';
  return isObject(raw) && typeof raw['channel'] === 'string' ? 'l2Book' : undefined;
}

const KINDS: Readonly<Record<HyperliquidKind, FileKind<HyperliquidMessage>>> = {
  l2Book: { name: 'l2Book', channel: 'book', readerOf: bookReader },
  node_trades: { name: 'node_trades', channel: 'trade', readerOf: tradeReader },
  asset_ctxs: { name: 'asset_ctxs', channel: 'context', isSparse: true, readerOf: contextReader },
};

/** Files of Hyperliquid's buckets, as in its page "Historical data". Each kind has the node's or the block's time. */
export const hyperliquidArchiveReader: FormatReader = {
  id: 'hyperliquid-archive',
  title: "Files of Hyperliquid's public buckets: market_data l2Book, asset_ctxs, node_trades",
  example: '{"time":"2024-01-01T12:00:01.138942031","ver_num":1,"raw":{"channel":"l2Book","data":{"coin":"BTC",…}}}',
  matches: (line) => kindOf(line) !== undefined,
  async open(files, requested, rows, described) {
    const read = files.map(archiveFile);
    const venue = archiveFacts as LineFormat<never>;
    const messages = {
      normalizerOf: (...place: ConstructorParameters<typeof HyperliquidNormalizer>) => new HyperliquidNormalizer(...place),
      exchangeTimesOf: hyperliquidTimesOf,
    };
    const archive = { files: read, venue, venueName: venue.venue, messages, remarks: [] };
    return openArchive({ ...archive, broken: (_, reason) => rejected(reason) }, requested, rows, described);
  },
};

const archiveFacts: LineFormat<HyperliquidMessage> = {
  ...hyperliquidWsLines,
  factsOf: (symbol, coin) => hyperliquidInstrument(symbol, coin, []),
};

/** `asset_ctxs` contain every coin, `node_trades` most: the caller has to choose one. */
function archiveFile(file: PeekedFile): ArchiveFile<HyperliquidMessage> {
  const [first = ''] = file.head;
  const kind = kindOf(first) ?? 'l2Book';
  if (kind !== 'asset_ctxs')
    return { file, kind: KINDS[kind], instruments: [...new Set(file.head.flatMap((line) => COIN.exec(line)?.[1] ?? []))] };
  const index = cellsOf(first).indexOf('coin');
  return {
    file,
    kind: KINDS[kind],
    header: first,
    instruments: [...new Set(file.head.slice(1).map((line) => cellsOf(line)[index] ?? ''))],
  };
}

function timeOf(text: string | undefined): number {
  const timeMs = parseUtcInstant(text ?? '');
  if (timeMs === undefined) throw new RowError(`time ${quoted(text)} is not a UTC time`, 'broken_line');
  return timeMs;
}

function bookReader({ venueInstrument: coin }: PlayedInstrument): RowReader<HyperliquidMessage> {
  return {
    read(line) {
      const receivedMs = timeOf(BOOK_TIME.exec(line)?.[1]);
      if (isOversized(line)) return { receivedMs, message: rejected('oversized_frame') };
      const raw = parseObject(line)?.['raw'];
      return { receivedMs, message: isObject(raw) ? readFrame(raw, coin) : rejected('broken_json') };
    },
  };
}

/** Trades have no id: they are numbered within the files. */
function tradeReader({ venueInstrument: coin }: PlayedInstrument): RowReader<HyperliquidMessage> {
  let total = 0;
  return {
    read(line) {
      const row = parseObject(line);
      if (row === undefined) throw new RowError('incomplete JSON', 'broken_json');
      if (row['coin'] !== coin) return undefined;
      const timeMs = timeOf(typeof row['time'] === 'string' ? row['time'] : undefined);
      return { receivedMs: timeMs, message: readArchivedTrade(row, coin, timeMs, ++total) };
    },
  };
}

function contextReader({ venueInstrument: coin }: PlayedInstrument, { head: [header = ''] }: PeekedFile): RowReader<HyperliquidMessage> {
  const columns = columnsOf(header);
  return {
    read(line) {
      const cells = cellsOf(line);
      if (cells.length !== columns.size) throw new RowError(`row has ${cells.length} cells, the header has ${columns.size}`);
      const cell = (column: string): string | undefined => cells[columns.get(column) ?? -1] || undefined;
      if (cell('coin') !== coin) return undefined;
      const message = readAssetContext({
        funding: cell('funding'),
        openInterest: cell('open_interest'),
        markPx: cell('mark_px'),
        oraclePx: cell('oracle_px'),
        midPx: cell('mid_px'),
        dayNtlVlm: cell('day_ntl_vlm'),
      });
      if (message.type === 'rejected') throw new RowError('a value of the row is not a valid number', message.reason);
      return { receivedMs: timeOf(cell('time')), message };
    },
  };
}
