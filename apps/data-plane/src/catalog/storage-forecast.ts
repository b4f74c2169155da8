import type { KeptDays } from '../archive/archive-settings';
import type { HotSize, WrittenChannel } from '../store/catalog';

const DAY_MS = 86_400_000;
/** A shorter record says nothing of a day. */
const RECORDED_MS_MIN = 60_000;

/** Bytes of one channel of a symbol: written in a day, or held now. */
export interface StoredBytes {
  /** Hot rows, on disk. */
  readonly hot: number;
  readonly archived: number;
}

/** Bytes on disk of one byte of payload in a channel's hot rows: columns and indexes come on top. 1 where it is not known. */
export function diskFactor({ diskBytes, payloadBytes }: HotSize): number {
  return payloadBytes > 0 && diskBytes > 0 ? diskBytes / payloadBytes : 1;
}

/** What was written, as if it went on so for a day; files take what they take of the payload now. 0 before the first minute. */
export function dailyBytes(
  {
    payloadBytes,
    recordedMs,
    archivedBytes,
    archivedPayloadBytes,
  }: Pick<WrittenChannel, 'payloadBytes' | 'recordedMs' | 'archivedBytes' | 'archivedPayloadBytes'>,
  factor: number,
): StoredBytes {
  if (recordedMs < RECORDED_MS_MIN) return { hot: 0, archived: 0 };
  const payload = (payloadBytes / recordedMs) * DAY_MS;
  return {
    hot: Math.round(payload * factor),
    archived: archivedPayloadBytes === 0 ? 0 : Math.round((payload * archivedBytes) / archivedPayloadBytes),
  };
}

/** Something on disk that grows until retention removes as much of it as is written. */
export interface Growth {
  readonly bytesADay: number;
  /** What it still grows by until then; 0 when it is there, or over it since more was written before. */
  readonly roomBytes: number;
}

/**
 * How one channel of a symbol still grows. A day's rows are dropped once the whole day is past its hot days, so that one day more
 * than those is on disk; a file goes when it is past its archive days.
 */
export function growthsOf(bytes: StoredBytes, held: StoredBytes, { hotDays, archiveDays }: KeptDays): Growth[] {
  return [
    { bytesADay: bytes.hot, roomBytes: Math.max(0, bytes.hot * (hotDays + 1) - held.hot) },
    { bytesADay: bytes.archived, roomBytes: Math.max(0, bytes.archived * archiveDays - held.archived) },
  ];
}

/**
 * Days until the disk is full, if writing goes on as in the last day: each growth ends when it has used its room. Undefined when all
 * have ended before, or nothing is known of the disk.
 */
export function daysLeft(growths: readonly Growth[], freeBytes: number | undefined): number | undefined {
  if (freeBytes === undefined) return undefined;
  const ends = growths
    .filter(({ roomBytes }) => roomBytes > 0)
    .map(({ bytesADay, roomBytes }) => ({ bytesADay, endDay: roomBytes / bytesADay }))
    .sort((one, other) => one.endDay - other.endDay);
  let day = 0;
  let leftBytes = freeBytes;
  let bytesADay = ends.reduce((sum, end) => sum + end.bytesADay, 0);
  for (const end of ends) {
    const writtenBytes = bytesADay * (end.endDay - day);
    if (writtenBytes > leftBytes) return day + leftBytes / bytesADay;
    leftBytes -= writtenBytes;
    day = end.endDay;
    bytesADay -= end.bytesADay;
  }
  return undefined;
}
