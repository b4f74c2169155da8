import { statfs } from 'node:fs/promises';
import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type Channel, CHANNELS, DAY_MS } from '@market-state/market-data';
import { addGauge, type Metrics } from '@market-state/telemetry';
import type { Pool } from 'pg';
import type { RetentionDays, RetentionPeriods } from '../archive/archive-settings';
import { type HotSize, type WrittenChannel, readHotSizes, readWrittenChannels } from '../store/catalog';

/** Shorter recordings cannot be extrapolated to a day. */
const RECORDED_MS_MIN = 60_000;

const EVERY_MS = 60_000;

interface StorageDeps {
  readonly pool: Pool;
  readonly storage: { readonly archiveFolder: string | undefined; readonly days: RetentionDays };
  readonly tail: { readonly symbols: readonly string[] };
}

interface Storage {
  readonly bytesADay: number;
  readonly freeBytes: number | undefined;
  /** Undefined if the disk never fills, or is unknown. */
  readonly daysLeft: number | undefined;
  dailyBytesOf(symbol: string, channel: Channel): StoredBytes | undefined;
}

async function readStorage({ pool, storage, tail }: StorageDeps): Promise<Storage> {
  const [written, sizes, freeBytes] = await Promise.all([
    readWrittenChannels(pool, tail.symbols),
    readHotSizes(pool, CHANNELS),
    freeBytesOf(storage.archiveFolder),
  ]);
  const factors = new Map(sizes.map((size) => [size.channel, diskFactor(size)]));
  const daily = written.map((each) => {
    const factor = factors.get(each.channel) ?? 1;
    return { ...each, bytes: dailyBytes(each, factor), held: { hot: each.hotPayloadBytes * factor, archived: each.storedArchiveBytes } };
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

export interface StorageWatch extends Closable {
  /** At most a minute old. Rejects as `storeFailure`. */
  current(): Promise<Storage>;
}

/** Disk metrics are absent if unknown; +Inf days: never full. */
export function watchStorage(deps: StorageDeps, metrics: Metrics, logger: Logger): StorageWatch {
  let last: Storage | undefined;
  const days = addGauge(
    metrics,
    'storage_days_left',
    'Days until the disk of the archive is full at the write rate of the last day; +Inf: never.',
  );
  const free = addGauge(metrics, 'storage_disk_free_bytes', 'Free bytes on the disk of the archive.');
  const written = addGauge(metrics, 'storage_bytes_a_day', 'Bytes written per day, rows and files.');
  for (const gauge of [days, free, written]) gauge.remove();

  async function look(): Promise<void> {
    last = await readStorage(deps);
    const { bytesADay, freeBytes, daysLeft } = last;
    written.set(bytesADay);
    if (freeBytes === undefined) return;
    free.set(freeBytes);
    days.set(daysLeft ?? Number.POSITIVE_INFINITY);
  }

  const looking = repeatUntilClosed(look, {
    intervalMs: EVERY_MS,
    onError: (error) => {
      last = undefined;
      logger.warn({ err: error }, 'disk forecast failed; retrying');
    },
  });
  return {
    // Too little was recorded at the last reading to extrapolate.
    current: async () => (last === undefined || last.bytesADay === 0 ? readStorage(deps) : last),
    close: () => looking.close(),
  };
}

interface StoredBytes {
  readonly hot: number;
  readonly archived: number;
}

/** Disk bytes per payload byte of hot rows, including indexes; 1 if unknown. */
export function diskFactor({ diskBytes, payloadBytes }: HotSize): number {
  return payloadBytes > 0 && diskBytes > 0 ? diskBytes / payloadBytes : 1;
}

/** At the current compression. 0 before the first minute. */
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

interface Growth {
  readonly bytesADay: number;
  readonly availableBytes: number;
}

/** Whole days are dropped, so hot rows occupy one day more than their retention. */
export function growthsOf(bytes: StoredBytes, held: StoredBytes, { hotDays, archiveDays }: RetentionPeriods): Growth[] {
  return [
    { bytesADay: bytes.hot, availableBytes: Math.max(0, bytes.hot * (hotDays + 1) - held.hot) },
    { bytesADay: bytes.archived, availableBytes: Math.max(0, bytes.archived * archiveDays - held.archived) },
  ];
}

/** At the write rate of the last day. Undefined if growth ends before, or the disk is unknown. */
export function daysLeft(growths: readonly Growth[], freeBytes: number | undefined): number | undefined {
  if (freeBytes === undefined) return undefined;
  const ends = growths
    .filter(({ availableBytes }) => availableBytes > 0)
    .map(({ bytesADay, availableBytes }) => ({ bytesADay, endDay: availableBytes / bytesADay }))
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
