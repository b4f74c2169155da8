import { statfs } from 'node:fs/promises';
import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type Channel, CHANNELS } from '@market-state/market-data';
import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';
import type { KeptDays } from '../archive/archive-settings';
import { type HotSize, type WrittenChannel, readHotSizes, readWrittenChannels } from '../store/catalog';
import type { RpcDeps } from '../rpc/deps';

const DAY_MS = 86_400_000;

/** A shorter record says nothing of a day. */
const RECORDED_MS_MIN = 60_000;

/** The folder of the archive is there once its first hour is. */
const EVERY_MS = 60_000;

type StorageDeps = Pick<RpcDeps, 'pool' | 'storage'> & { readonly tail: Pick<RpcDeps['tail'], 'symbols'> };

/** How fast what is stored grows, and how long the disk lasts. */
interface Storage {
  /** Written in a day by all channels of all symbols, hot and archived. */
  readonly bytesADay: number;
  /** Of the disk that the archive is on; undefined where there is none or it can't be asked. */
  readonly freeBytes: number | undefined;
  /** Days until that disk is full; undefined when it never is, or nothing is known of it. */
  readonly daysLeft: number | undefined;
  dailyBytesOf(symbol: string, channel: Channel): StoredBytes | undefined;
}

/** Rejects as `storeFailure` says. */
export async function readStorage({ pool, storage, tail }: StorageDeps): Promise<Storage> {
  const [written, sizes, freeBytes] = await Promise.all([
    readWrittenChannels(pool, tail.symbols),
    readHotSizes(pool, CHANNELS),
    freeBytesOf(storage.archiveFolder),
  ]);
  const factors = new Map(sizes.map((size) => [size.channel, diskFactor(size)]));
  const daily = written.map((each) => {
    const factor = factors.get(each.channel) ?? 1;
    return { ...each, bytes: dailyBytes(each, factor), held: { hot: each.hotPayloadBytes * factor, archived: each.heldArchiveBytes } };
  });
  const growths = daily.flatMap(({ channel, bytes, held }) => growthsOf(bytes, held, storage.days[channel]));
  return {
    bytesADay: daily.reduce((sum, { bytes }) => sum + bytes.hot + bytes.archived, 0),
    freeBytes,
    daysLeft: daysLeft(growths, freeBytes),
    dailyBytesOf: (symbol, channel) => daily.find((each) => each.symbol === symbol && each.channel === channel)?.bytes,
  };
}

async function freeBytesOf(folder: string | undefined): Promise<number | undefined> {
  if (folder === undefined) return undefined;
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the forecast of the disk in the metrics: `storage_days_left`, +Inf where it is never full, `storage_disk_free_bytes` and
 * `storage_bytes_a_day`. Those of the disk are absent where nothing is known of it.
 */
export function watchStorage(deps: StorageDeps, metrics: Metrics, logger: Logger): Closable {
  const registers = [metrics.registry];
  const days = new Gauge({
    name: 'storage_days_left',
    help: 'Days until the disk of the archive is full if writing goes on as in the last day; +Inf: never.',
    registers,
  });
  const free = new Gauge({ name: 'storage_disk_free_bytes', help: 'Free bytes of the disk that the archive is on.', registers });
  const written = new Gauge({ name: 'storage_bytes_a_day', help: 'Bytes written in a day, rows and files.', registers });
  for (const gauge of [days, free, written]) gauge.remove();

  async function look(): Promise<void> {
    const { bytesADay, freeBytes, daysLeft } = await readStorage(deps);
    written.set(bytesADay);
    if (freeBytes === undefined) return;
    free.set(freeBytes);
    days.set(daysLeft ?? Number.POSITIVE_INFINITY);
  }

  return repeatUntilClosed(look, {
    intervalMs: EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'the forecast of the disk cannot be made; it is tried again'),
  });
}

/** Bytes of one channel of a symbol: written in a day, or held now. */
interface StoredBytes {
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
interface Growth {
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
