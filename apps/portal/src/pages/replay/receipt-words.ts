import { counted } from '@market-state/packet-figures';
import type { CompactPacket } from '../../packets/board';
import { clock } from '../../time/clock';
import type { Chunk, ChunkReading } from './chunks';

const REASONS: Readonly<Record<string, string>> = {
  more_rows_follow: 'more rows follow',
  gaps_in_window: 'the feed had gaps',
  seam_loss_unknown: 'a recording began again within it, and it is not known whether rows are missing there',
  window_not_finished: 'it was not over when it was read',
  before_retention: 'it begins before what is kept',
  rows_missing: 'rows are missing',
  channel_not_reported: 'the venue does not report a channel',
  packets_unreachable: 'packets could not be read',
  archive_unreadable: 'the archive could not be read',
};

/** Whether a chunk was whole, in a word and a sentence, as the receipt of its replay says it. */
export function receiptWords({ receipt, reachedMs, state }: ChunkReading): { readonly word: string; readonly sentence: string } {
  if (state === 'reading') return { word: 'reading', sentence: '' };
  if (receipt === null)
    return {
      word: state === 'failed' ? 'cut off' : 'stopped',
      sentence: `Rows up to ${clock(reachedMs, 'time')} were read: there is no receipt.`,
    };
  const { status, reasons, gap_ids: gaps, rows_expected: expected, rows_sent: sent } = receipt;
  const rows = `${sent.toLocaleString('en-US')} of ${counted(expected, 'row')}`;
  if (status === 'complete') return { word: 'complete', sentence: `${rows}; nothing is missing.` };
  const why = reasons.map((reason) => REASONS[reason] ?? reason.replaceAll('_', ' ')).join('; ');
  const isUnknown = reasons.length === 1 && reasons[0] === 'seam_loss_unknown';
  return {
    word: isUnknown ? 'not known' : 'partial',
    sentence: `${rows}; ${why}${gaps.length === 0 ? '' : ` (${counted(gaps.length, 'gap')})`}.`,
  };
}

/** Whether the packets that were replayed are those that are stored. */
export function packetWords({ startMs, endMs }: Chunk, { rows: { digests } }: ChunkReading, packets: readonly CompactPacket[]): string {
  const stored = packets.filter(({ window_end_utc: end }) => Date.parse(end) >= startMs && Date.parse(end) < endMs);
  const replayed = new Set(digests);
  const same = stored.filter(({ packet_digest: digest }) => replayed.has(digest)).length;
  if (same === stored.length && digests.length === same) return `${counted(same, 'packet')}, as stored`;
  return `${counted(digests.length, 'packet')}, ${stored.length} stored, ${same} of them the same`;
}
