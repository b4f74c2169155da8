import type { labeling, marketData } from '@market-state/contracts';
import { deadlineExceeded, isServiceError } from '@market-state/errors';
import type { Packet } from '@market-state/labeler';
import { WINDOW_MS } from '@market-state/market-data';
import { type ChannelRows, sourceWindowStatus } from '@market-state/packet-views';
import type { MarketDataClient } from '../market-data-client';
import { toUtc } from '../../serving/meta/utc';
import { publicRowObject } from '../../serving/answers/public-row';
import { definitions } from '../../serving/policy/definitions';

/** Time for all rows of a packet, milliseconds. */
const DEADLINE_MS = 5_000;
const PAGE_SIZE = 5_000;
/** Longest window that the data plane reads, milliseconds. */
const READ_MS_MAX = 3_600_000;
/** Rows of one channel that are given, at most. */
const ROWS_GIVEN_MAX = 20;

type Totals = Packet['packet_lineage_summary']['window_event_totals'];

/** Which rows of a channel a packet reads: those of so many milliseconds up to T, of which some are given. */
interface ChannelReading {
  readonly channel: 'book' | 'trades' | 'context' | 'liquidations';
  readonly kind: keyof Totals;
  readonly reachMs: number;
  readonly given: 'newest' | 'last';
}

/** Back to the newest event that a packet had, and over its window at least; no further than a read may go. */
function backTo(ageMs: number | null): number {
  return Math.min(READ_MS_MAX, Math.max(WINDOW_MS, (ageMs ?? 0) + 1));
}

function readingsOf({ source_status: sources }: Packet): readonly ChannelReading[] {
  return [
    { channel: 'book', kind: 'book', reachMs: backTo(sources.book.age_ms), given: 'newest' },
    { channel: 'trades', kind: 'trade', reachMs: WINDOW_MS, given: 'last' },
    { channel: 'context', kind: 'context', reachMs: backTo(sources.asset_context.age_ms), given: 'newest' },
    { channel: 'liquidations', kind: 'liquidation', reachMs: definitions.numbers.windows.liquidation_ms, given: 'last' },
  ];
}

const SELECTIONS = { newest: 'newest_at_window_end', last: `last_${ROWS_GIVEN_MAX}` } as const;

/** Every kept row of a channel of some milliseconds up to the end of a window, in log order; none where they are no longer kept. */
async function readRows(
  client: MarketDataClient,
  { symbol, windowEndMs }: labeling.PacketRecord,
  { channel, reachMs }: ChannelReading,
  asOfMs: number,
): Promise<marketData.DataRow[]> {
  const found: marketData.DataRow[] = [];
  const signal = AbortSignal.timeout(DEADLINE_MS);
  let pageToken = '';
  try {
    do {
      const request = {
        symbol,
        startMs: windowEndMs - reachMs + 1,
        endMs: windowEndMs + 1,
        channels: [channel],
        asOfMs,
        pageSize: PAGE_SIZE,
        pageToken,
      };
      pageToken = '';
      for await (const { rows, end } of client.call.readWindow(request, { signal })) {
        found.push(...rows);
        pageToken = end?.nextPageToken ?? pageToken;
      }
    } while (pageToken !== '');
  } catch (error) {
    if (isServiceError(error, 'beyond_retention')) return [];
    if (signal.aborted) throw deadlineExceeded('upstream_deadline', 'The rows of this event took too long to read.');
    throw error;
  }
  return found;
}

/** A row that stands behind the entry that closed the window came too late for the packet. */
function cameInTime({ closingEpoch, closingOrdinal }: labeling.PacketRecord): (row: marketData.DataRow) => boolean {
  return ({ epoch, sequence }) => closingOrdinal === 0 || epoch < closingEpoch || (epoch === closingEpoch && sequence <= closingOrdinal);
}

function inEventOrder(a: marketData.DataRow, b: marketData.DataRow): number {
  return a.exchangeTsMs - b.exchangeTsMs || a.sequence - b.sequence;
}

/** A channel that the venue does not report: there is nothing to count, which is not 0. */
const NOT_REPORTED = {
  kept: { applied: null, retainedInWindow: 0, retained: 0 },
  view: {
    reported: false,
    applied_in_window_total: null,
    retained_in_window_total: null,
    retained_in_span_total: null,
    came_too_late_total: null,
    row_total: null,
    rows: null,
  },
} as const;

async function readChannel(
  client: MarketDataClient,
  record: labeling.PacketRecord,
  totals: Totals,
  reading: ChannelReading,
  asOfMs: number,
) {
  const applied = totals[reading.kind];
  const about = {
    channel: reading.channel,
    span_start_utc: toUtc(record.windowEndMs - reading.reachMs),
    span_end_utc: toUtc(record.windowEndMs),
    selection: SELECTIONS[reading.given],
  };
  if (applied === null) return { kept: NOT_REPORTED.kept, view: { ...about, ...NOT_REPORTED.view } };
  const rows = await readRows(client, record, reading, asOfMs);
  const inTime = rows.filter(cameInTime(record)).sort(inEventOrder);
  const inWindow = inTime.filter(({ exchangeTsMs }) => exchangeTsMs > record.windowEndMs - WINDOW_MS);
  const given = inTime.slice(reading.given === 'newest' ? -1 : -ROWS_GIVEN_MAX);
  const kept: ChannelRows = { applied, retainedInWindow: inWindow.length, retained: inTime.length };
  return {
    kept,
    view: {
      ...about,
      reported: true,
      applied_in_window_total: applied,
      retained_in_window_total: inWindow.length,
      retained_in_span_total: inTime.length,
      came_too_late_total: rows.length - inTime.length,
      row_total: given.length,
      rows: given.map(publicRowObject),
    },
  };
}

/** The stored rows that a packet was made of, a bounded part of them given as stored, with what of them is still kept. */
export async function readSourceRows(client: MarketDataClient, record: labeling.PacketRecord, packet: Packet, asOfMs: number) {
  const totals = packet.packet_lineage_summary.window_event_totals;
  const channels = await Promise.all(readingsOf(packet).map((reading) => readChannel(client, record, totals, reading, asOfMs)));
  return { status: sourceWindowStatus(channels.map(({ kept }) => kept)), channels: channels.map(({ view }) => view) };
}
