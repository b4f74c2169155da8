import { whole } from '../../market/numbers';
import type { Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import type { Span } from '../../service/url-state';
import { bookOf, type FlowBook, type TapeTrade, tradeOf, LADDER_ROWS } from '../../market/flow-state';
import type { CompactPacket } from '../../packets/live-markets';
import { clock } from '../../time/clock';

const REASONS: Readonly<Record<string, string>> = {
  more_rows_follow: 'more rows follow',
  gaps_in_window: 'the feed had gaps',
  seam_loss_unknown: 'the recording restarted within it, and rows may be missing there',
  window_not_finished: 'it was still open when it was read',
  before_retention: 'it starts before the stored data',
  rows_missing: 'rows are missing',
  channel_not_reported: 'the venue does not report a channel',
  packets_unreachable: 'packets could not be read',
  archive_unreadable: 'the archive could not be read',
};

/** From the receipt of the chunk's replay. */
export function receiptWords({ receipt, reachedMs, state }: ChunkReading): { readonly word: string; readonly sentence: string } {
  if (state === 'reading') return { word: 'reading', sentence: '' };
  if (receipt === null)
    return {
      word: state === 'failed' ? 'cut off' : 'stopped',
      sentence: `Rows up to ${clock(reachedMs, 'time')} were read; there is no receipt.`,
    };
  const { status, reasons, gap_ids: gaps, rows_expected: expected, rows_sent: sent } = receipt;
  const rows = `${whole(sent)} of ${counted(expected, 'row')}`;
  if (status === 'complete') return { word: 'complete', sentence: `${rows}; nothing is missing.` };
  const why = reasons.map((reason) => REASONS[reason] ?? reason.replaceAll('_', ' ')).join('; ');
  const isUnknown = reasons.length === 1 && reasons[0] === 'seam_loss_unknown';
  return {
    word: isUnknown ? 'unknown' : 'partial',
    sentence: `${rows}; ${why}${gaps.length === 0 ? '' : ` (${counted(gaps.length, 'gap')})`}.`,
  };
}

/** Compares replayed with stored packets. */
export function packetWords({ startMs, endMs }: Chunk, { rows: { digests } }: ChunkReading, packets: readonly CompactPacket[]): string {
  const stored = packets.filter(({ window_end_utc: end }) => Date.parse(end) >= startMs && Date.parse(end) < endMs);
  const replayed = new Set(digests);
  const same = stored.filter(({ packet_digest: digest }) => replayed.has(digest)).length;
  if (same === stored.length && digests.length === same) return `${counted(same, 'packet')}, as stored`;
  return `${counted(digests.length, 'packet')}, ${stored.length} stored, ${same} identical`;
}

/** In exchange-time order. */
interface ChunkRows {
  readonly books: readonly FlowBook[];
  readonly trades: readonly TapeTrade[];
  readonly digests: readonly string[];
}

export const NO_ROWS: ChunkRows = { books: [], trades: [], digests: [] };

export function collectRows(before: ChunkRows): { add(row: Schemas['DataRow']): void; rows(): ChunkRows } {
  const books = [...before.books];
  const trades = [...before.trades];
  const digests = [...before.digests];
  return {
    add(row) {
      if ('packet_digest' in row) digests.push(row.packet_digest);
      const book = bookOf(row);
      // Levels that no ladder shows are dropped, so that an hour of books fits in memory.
      if (book !== null) books.push({ ...book, bids: book.bids.slice(0, LADDER_ROWS), asks: book.asks.slice(0, LADDER_ROWS) });
      const trade = tradeOf(row);
      if (trade !== null) trades.push(trade);
    },
    rows: () => ({ books: byTime(books), trades: byTime(trades), digests: [...digests] }),
  };
}

/** The log is in receive order; venue clocks may step back within it. */
function byTime<Row extends { readonly timeMs: number }>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => a.timeMs - b.timeMs);
}

/** Exchange time covered by one read. */
export const CHUNK_MS = 300_000;

/** Exchange time; `startMs` inclusive, `endMs` exclusive. */
export interface Chunk {
  readonly index: number;
  readonly startMs: number;
  readonly endMs: number;
}

export interface ChunkReading {
  readonly state: 'reading' | 'ended' | 'failed';
  /** Billed messages. */
  readonly messages: number;
  readonly credits: number;
  readonly rows: ChunkRows;
  /** Exchange time read so far; the chunk's end once complete. */
  readonly reachedMs: number;
  /** Null until the replay has closed. */
  readonly receipt: Schemas['Completeness'] | null;
  /** Message after which an interrupted read resumes; null before the first row. */
  readonly resumeId: string | null;
  readonly failure: unknown;
}

export type Readings = ReadonlyMap<number, ChunkReading>;

export function chunksOf({ fromMs, toMs }: Pick<Span, 'fromMs' | 'toMs'>): readonly Chunk[] {
  return Array.from({ length: Math.ceil((toMs - fromMs) / CHUNK_MS) }, (_each, index) => ({
    index,
    startMs: fromMs + index * CHUNK_MS,
    endMs: Math.min(toMs, fromMs + (index + 1) * CHUNK_MS),
  }));
}

/** The end of the span belongs to the last chunk. */
export function chunkAt(chunks: readonly Chunk[], ms: number): Chunk | undefined {
  return chunks.find(({ endMs }) => ms < endMs) ?? chunks.at(-1);
}

export function isRead(chunk: Chunk, readings: Readings): boolean {
  return (readings.get(chunk.index)?.reachedMs ?? chunk.startMs) >= chunk.endMs;
}

/** Exchange time that the cursor can reach without further reading. */
export function readableTo(chunks: readonly Chunk[], readings: Readings, ms: number): number {
  let reachedMs = ms;
  for (const chunk of chunks) {
    if (chunk.endMs <= ms) continue;
    if (chunk.startMs > reachedMs) break;
    reachedMs = Math.max(reachedMs, readings.get(chunk.index)?.reachedMs ?? chunk.startMs);
    if (!isRead(chunk, readings)) break;
  }
  return reachedMs;
}

/** Read ahead that avoids waiting: seconds of real time, and a minimum of exchange time. */
const AHEAD_S = 8;
const AHEAD_MIN_MS = 30_000;

/** Null if enough is read ahead, or if the next chunk is being read or has failed. */
export function chunkToRead(chunks: readonly Chunk[], readings: Readings, atMs: number, speed: number): Chunk | null {
  if ([...readings.values()].some(({ state }) => state === 'reading')) return null;
  const neededMs = atMs + Math.max(AHEAD_MIN_MS, AHEAD_S * 1_000 * speed);
  const next = chunks.find((chunk) => chunk.endMs > atMs && !isRead(chunk, readings));
  return next !== undefined && next.startMs < neededMs && !readings.has(next.index) ? next : null;
}
