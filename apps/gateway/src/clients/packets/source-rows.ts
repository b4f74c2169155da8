import type { labeling, marketData } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import { WINDOW_MS } from '@market-state/market-data';
import { type ChannelRows, sourceWindowStatus } from '@market-state/packet-views';
import { publicRowObject } from '../../serving/answers/public-row';
import { toUtc, definitions } from '../../serving/meta/meta';
import type { MarketDataClient } from '../market-data-client';

const DEADLINE_MS = 5_000;
/** Longest window that the data plane serves. */
const READ_MS_MAX = 3_600_000;
const ROWS_GIVEN_MAX = 20;

type Totals = Packet['packet_lineage_summary']['window_event_totals'];

/** Rows that a packet depends on: those up to `reachMs` before T. */
interface ChannelReading {
  readonly channel: 'book' | 'trades' | 'context' | 'liquidations';
  readonly kind: keyof Totals;
  readonly reachMs: number;
  readonly given: 'newest' | 'last';
}

/** Reaches back to the newest event, but at least over the window and at most `READ_MS_MAX`. */
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
const ROW_LIMITS = { newest: 1, last: ROWS_GIVEN_MAX } as const;

/** An unreported channel has no count, which is not a count of 0. */
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

function channelOf(windowEndMs: number, totals: Totals, reading: ChannelReading, found: marketData.SourceRows | undefined) {
  const applied = totals[reading.kind];
  const about = {
    channel: reading.channel,
    span_start_utc: toUtc(windowEndMs - reading.reachMs),
    span_end_utc: toUtc(windowEndMs),
    selection: SELECTIONS[reading.given],
  };
  if (applied === null || found === undefined) return { kept: NOT_REPORTED.kept, view: { ...about, ...NOT_REPORTED.view } };
  const { inTimeTotal, inWindowTotal, lateTotal, rows } = found;
  const kept: ChannelRows = { applied, retainedInWindow: inWindowTotal, retained: inTimeTotal };
  return {
    kept,
    view: {
      ...about,
      reported: true,
      applied_in_window_total: applied,
      retained_in_window_total: inWindowTotal,
      retained_in_span_total: inTimeTotal,
      came_too_late_total: lateTotal,
      row_total: rows.length,
      rows: rows.map(publicRowObject),
    },
  };
}

async function readRows(
  { call }: MarketDataClient,
  { symbol, windowEndMs, closingEpoch, closingOrdinal }: labeling.PacketRecord,
  readings: readonly ChannelReading[],
  asOfMs: number,
): Promise<readonly marketData.SourceRows[]> {
  if (readings.length === 0) return [];
  const closedBy = { epoch: closingEpoch, ordinal: closingOrdinal, packetWindowEndMs: 0 };
  const spans = readings.map(({ channel, reachMs, given }) => ({ channel, lengthMs: reachMs, rowLimit: ROW_LIMITS[given] }));
  const { channels } = await call.getSourceRows({ symbol, windowEndMs, asOfMs, closedBy, spans }, { deadlineMs: DEADLINE_MS });
  return channels;
}

/** A bounded selection, and how many are retained. `appliedTotal` counts the events of the packet's window. */
export async function readSourceRows(client: MarketDataClient, record: labeling.PacketRecord, packet: Packet, asOfMs: number) {
  const totals = packet.packet_lineage_summary.window_event_totals;
  const readings = readingsOf(packet);
  const counted = readings.filter(({ kind }) => totals[kind] !== null);
  const found = await readRows(client, record, counted, asOfMs);
  const channels = readings.map((reading) => channelOf(record.windowEndMs, totals, reading, found[counted.indexOf(reading)]));
  const appliedTotal = channels.reduce((sum, { kept }) => sum + (kept.applied ?? 0), 0);
  return { status: sourceWindowStatus(channels.map(({ kept }) => kept)), appliedTotal, channels: channels.map(({ view }) => view) };
}
