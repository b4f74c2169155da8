import type { marketData } from '@market-state/contracts';
import { toUtc } from '../meta/utc';

/** Names of the quality flags, by their bit. */
const FLAG_NAMES = [
  [1, 'snapshot'],
  [2, 'late'],
  [4, 'clock_skew'],
  [8, 'after_gap'],
  [16, 'synthetic'],
] as const;

/** The quality flags of a row by name. */
function flagNames(flags: number): string[] {
  return FLAG_NAMES.flatMap(([bit, name]) => ((flags & bit) === 0 ? [] : [name]));
}

/**
 * A row as it is public, in pieces of one line of JSON. The row's own bytes stand in it as they are, so that what is cut
 * out of `row` is the very line that was recorded.
 */
export function publicRow(row: marketData.DataRow): readonly (string | Uint8Array)[] {
  const head = `{"channel":${JSON.stringify(row.channel)},"sequence":${row.sequence},"epoch":${row.epoch}`;
  const times = `,"exchange_time_utc":"${toUtc(row.exchangeTsMs)}","received_time_utc":"${toUtc(row.receivedTsMs)}"`;
  const flags = `,"flags":${JSON.stringify(flagNames(row.flags))}`;
  if (row.channel !== 'packets') return [`${head}${times}${flags},"row":`, row.line, '}'];
  return [`${head}${times}${flags},"packet_digest":${JSON.stringify(row.packetDigest)},"packet":`, row.line, '}'];
}
