import type { marketData } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { lossOf } from '@market-state/market-data';
import { toUtc, toUtcOrNull } from '../meta/meta';
import { type Described, documentedWord } from '../openapi/document';

const reasonNamed = documentedWord('Gap', 'reason');
const resolutionNamed = documentedWord('Gap', 'resolution');
const gapChannelNamed = documentedWord('Gap', 'channel');

const SEAM = 'recording_seam';

export function publicGap(gap: marketData.Gap): Described<'Gap'> {
  return {
    gap_id: gap.gapId,
    kind: gap.reason === SEAM && lossOf(gap) === 'none' ? 'seam' : 'gap',
    symbol: gap.symbol,
    channel: gap.channel === '' ? null : gapChannelNamed(gap.channel),
    start_utc: toUtc(gap.startMs),
    end_utc: toUtcOrNull(gap.endMs),
    reason: reasonNamed(gap.reason),
    resolution: resolutionNamed(gap.resolution),
  };
}

const VENUE_CLOCK_AHEAD = 64;

const FLAG_NAMES = [
  [1, 'snapshot'],
  [2, 'late'],
  [4, 'clock_skew'],
  [8, 'after_gap'],
  [16, 'synthetic'],
  [VENUE_CLOCK_AHEAD, 'venue_clock_ahead'],
] as const;

type PublicRow = Described<'DataRow'>;

function flagNames(flags: number): PublicRow['flags'] {
  return FLAG_NAMES.flatMap(([bit, name]) => ((flags & bit) === 0 ? [] : [name]));
}

/** Embeds the row's own bytes, so that `row` is exactly the recorded line. */
export function publicRow(row: marketData.DataRow): readonly (string | Uint8Array)[] {
  const head = `{"channel":${JSON.stringify(row.channel)},"sequence":${row.sequence},"epoch":${row.epoch}`;
  const times = `,"exchange_time_utc":"${toUtc(row.exchangeTsMs)}","received_time_utc":"${toUtc(row.receivedTsMs)}"`;
  const flags = `,"flags":${JSON.stringify(flagNames(row.flags))}${skewText(row)}`;
  if (row.channel !== 'packets') return [`${head}${times}${flags},"row":`, row.line, '}'];
  return [`${head}${times}${flags},"packet_digest":${JSON.stringify(row.packetDigest)},"packet":`, row.line, '}'];
}

/** Null if the row is not flagged. */
function skewOf({ flags, exchangeTsMs, receivedTsMs }: marketData.DataRow): number | null {
  return (flags & VENUE_CLOCK_AHEAD) === 0 ? null : exchangeTsMs - receivedTsMs;
}

function skewText(row: marketData.DataRow): string {
  const skewMs = skewOf(row);
  return skewMs === null ? '' : `,"clock_skew_ms":${skewMs}`;
}

const channelNamed = documentedWord('ReplayWindow', 'channels');

function parsed(line: Uint8Array): object {
  const value: unknown = JSON.parse(Buffer.from(line).toString('utf8'));
  if (typeof value !== 'object' || value === null) throw internal({ detail: 'data plane returned a row that is not an object' });
  return value;
}

export function publicRowObject(row: marketData.DataRow): PublicRow {
  const skewMs = skewOf(row);
  const head = {
    channel: channelNamed(row.channel),
    sequence: row.sequence,
    epoch: row.epoch,
    exchange_time_utc: toUtc(row.exchangeTsMs),
    received_time_utc: toUtc(row.receivedTsMs),
    flags: flagNames(row.flags),
    ...(skewMs === null ? {} : { clock_skew_ms: skewMs }),
  };
  const inside = row.channel === 'packets' ? { packet_digest: row.packetDigest, packet: parsed(row.line) } : { row: parsed(row.line) };
  // Validated against its channel's schema when recorded.
  return { ...head, ...inside } as PublicRow;
}
