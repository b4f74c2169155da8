import {
  ArchiveCorruptError,
  type ArchiveReader,
  type ArchiveWriter,
  type ObjectStore,
  deleteArchiveFile,
  verifyArchiveBytes,
  type Manifest,
  type Row,
} from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import {
  newestWindowEnd,
  firstFileWithoutEvents,
  firstWindowWithoutFile,
  hourEnd,
  hourOf,
  deleteHour,
  forgetFile,
  markEnding,
  listHotFiles,
  markArchived,
  noteArchivedPackets,
  type ArchivedChannel,
  readHourRows,
  registerFile,
} from '../store/archive-files';
import { type ArchivedKind, objectKeyOf, PACKET_FILE_COLUMNS } from './archived-kinds';
import { EVENT_SOURCE_COLUMNS, type EventSource, storeEvents } from '../store/store-events';

const DAY_MS = 86_400_000;

/** How long rows are kept, days of window time. */
export interface KeptDays {
  /** In the database; 0: until they are archived and can't be labelled again. */
  readonly hotDays: number;
  /** In the archive. */
  readonly archiveDays: number;
}

export interface ArchiveSymbolDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly writer: ArchiveWriter;
  readonly reader: Pick<ArchiveReader, 'read'>;
  readonly days: KeptDays;
  /** Packets of so long before the newest one stay in the database: after a restart the log may give them again, and they must be found. */
  readonly labelledAgainMs: number;
  readonly metrics: ArchiveMetrics;
  readonly logger: Logger;
}

/**
 * Archives every finished hour of a symbol, then removes what is past its days. What can't be archived or removed as it is stays,
 * and is told of. Rejects when a store fails.
 */
export async function archiveSymbol(
  deps: ArchiveSymbolDeps,
  lock: PoolClient,
  kind: ArchivedKind,
  symbol: string,
  signal: AbortSignal,
): Promise<void> {
  const { pool, metrics, logger } = deps;
  try {
    for (;;) {
      const hourMs = await nextFinishedHour(pool, kind, symbol);
      if (hourMs === undefined || signal.aborted) break;
      const manifest = await archiveHour(deps, lock, kind, symbol, hourMs);
      metrics.archived(kind.channel, manifest);
      logger.info({ key: manifest.object_key, rows: manifest.rows, bytes: manifest.bytes }, 'an hour is archived');
    }
    await endDays(deps, kind, symbol);
    while (kind.table === 'packet' && !signal.aborted && (await indexArchivedHour(pool, deps.reader, symbol)));
    metrics.blocked(kind.channel, symbol, false);
  } catch (error) {
    if (!(error instanceof ArchiveCorruptError) && !(error instanceof HourNotArchivedError)) throw error;
    metrics.blocked(kind.channel, symbol, true);
    logger.error(
      { symbol, channel: kind.channel, err: error },
      'the archive needs somebody to look at it; what is in the database stays there',
    );
  }
}

async function endDays(
  { pool, store, days, labelledAgainMs, logger }: ArchiveSymbolDeps,
  kind: ArchivedKind,
  symbol: string,
): Promise<void> {
  const newestMs = await newestWindowEnd(pool, symbol);
  if (newestMs === undefined) return;
  const dropped = await dropHours(pool, store, kind, symbol, newestMs - Math.max(days.hotDays * DAY_MS, labelledAgainMs));
  if (dropped > 0) logger.info({ symbol, channel: kind.channel, hours: dropped }, 'hours left the database; they are in the archive');
  const deleted = await deleteFiles(pool, store, kind, symbol, newestMs - days.archiveDays * DAY_MS);
  if (deleted > 0) logger.info({ symbol, channel: kind.channel, files: deleted }, 'files past their archive days were deleted');
}

/** Rows of one read: bodies of packets are large, and labelling goes on between two reads. */
const HOUR_PAGE_ROWS = 16;

interface HourDeps {
  readonly pool: Pool;
  readonly writer: ArchiveWriter;
}

/**
 * Archives one finished hour of a symbol: file, read back, manifest, and last of all its registration, over the connection that holds the
 * archiver's lock. Repeated after a stop anywhere, it ends the same.
 * @throws {ArchiveCorruptError} when the store does not give back what was written
 */
async function archiveHour(
  { pool, writer }: HourDeps,
  lock: PoolClient,
  kind: ArchivedKind,
  symbol: string,
  hourMs: number,
): Promise<Manifest> {
  const { channel, layout } = kind;
  const key = objectKeyOf(channel, symbol, hourMs);
  const manifest = await writer.write({ key, layout, rows: () => rowsOf(pool, kind, symbol, hourMs), gapIds: [] });
  await registerFile(lock, { symbol, channel, hourMs }, manifest);
  return manifest;
}

async function* rowsOf(pool: Pool, { table, columns, toRow }: ArchivedKind, symbol: string, hourMs: number): AsyncGenerator<Row[]> {
  for (let afterMs = hourMs - 1; ; ) {
    const rows = await readHourRows(pool, table, columns, { symbol, hourMs }, afterMs, HOUR_PAGE_ROWS);
    const last = rows.at(-1);
    if (last === undefined) return;
    afterMs = Number(last['window_end_ms']);
    yield rows.map(toRow);
  }
}

/** What the archiver counts. */
interface ArchiveMetrics {
  archived(channel: ArchivedChannel, manifest: Manifest): void;
  /** Whether something of a symbol can't be archived or removed until somebody looks at it. */
  blocked(channel: ArchivedChannel, symbol: string, isBlocked: boolean): void;
}

/** Registers the archiver's series. */
export function createArchiveMetrics(registry: Registry): ArchiveMetrics {
  const registers = [registry];
  const files = new Counter({
    name: 'labeling_archive_files_total',
    help: 'Files written and verified.',
    labelNames: ['channel'],
    registers,
  });
  const bytes = new Counter({ name: 'labeling_archive_bytes_total', help: 'Bytes of those files.', labelNames: ['channel'], registers });
  const blocked = new Gauge({
    name: 'labeling_archive_blocked',
    help: "1: rows can't be archived or removed.",
    labelNames: ['channel', 'symbol'],
    registers,
  });
  return {
    archived(channel, manifest) {
      files.inc({ channel });
      bytes.inc({ channel }, manifest.bytes);
    },
    blocked: (channel, symbol, isBlocked) => blocked.set({ channel, symbol }, isBlocked ? 1 : 0),
  };
}

/** The rows of an hour are not those of its file: they can't leave the database. */
class HourNotArchivedError extends Error {
  override readonly name = 'HourNotArchivedError';
}

/**
 * Removes the rows of a symbol's archived hours that end at or before `beforeMs`, oldest first, an hour at a time: its file's
 * bytes are held against their SHA-256 again, and as many rows must go as the file has. Where an event's packet went is kept. An hour
 * stays until the index of events, which is entered in the order of windows, has one of a later hour.
 * @returns hours removed
 * @throws {HourNotArchivedError} when an hour has other rows than its file
 * @throws {ArchiveCorruptError} when a file is missing or was changed
 */
async function dropHours(pool: Pool, store: ObjectStore, kind: ArchivedKind, symbol: string, beforeMs: number): Promise<number> {
  const files = await listHotFiles(pool, kind.channel, symbol, beforeMs);
  for (const { file, hourMs, rowTotal } of files) {
    await verifyArchiveBytes(store, file);
    await dropHour(pool, kind, symbol, hourMs, rowTotal);
  }
  return files.length;
}

function dropHour(pool: Pool, { channel, table }: ArchivedKind, symbol: string, hourMs: number, rowTotal: number): Promise<void> {
  return inTransaction(pool, async (client) => {
    if (table === 'packet') await noteArchivedPackets(client, symbol, hourMs);
    const deleted = await deleteHour(client, table, symbol, hourMs);
    if (deleted !== rowTotal)
      throw new HourNotArchivedError(`${symbol} has ${deleted} ${channel} in the hour of ${hourMs}, its file ${rowTotal}`);
    await markArchived(client, { symbol, channel, hourMs });
  });
}

/**
 * Deletes the files of a symbol's hours that end at or before `beforeMs` and are in the archive alone. They are marked first, so
 * that no reader is sent to a file that goes, and forgotten last, so that a stop in between leaves nothing behind.
 * @returns files deleted
 */
async function deleteFiles(
  pool: Pool,
  store: ObjectStore,
  { channel, table }: ArchivedKind,
  symbol: string,
  beforeMs: number,
): Promise<number> {
  const ending = await markEnding(pool, channel, symbol, beforeMs);
  for (const { hourMs, file } of ending) {
    await deleteArchiveFile(store, file.key);
    await inTransaction(pool, async (client) => {
      if (table === 'packet') {
        await deleteHour(client, 'archived_packet', symbol, hourMs);
        await deleteHour(client, 'event', symbol, hourMs);
      }
      await forgetFile(client, { symbol, channel, hourMs });
    });
  }
  return ending.length;
}

/**
 * The oldest hour of a symbol's rows that has no file and is over: a window of a later hour has its packet. Undefined when
 * there is none.
 */
async function nextFinishedHour(pool: Pool, { channel, table }: ArchivedKind, symbol: string): Promise<number | undefined> {
  const firstMs = await firstWindowWithoutFile(pool, table, channel, symbol);
  if (firstMs === undefined) return undefined;
  const hourMs = hourOf(firstMs);
  return hourEnd(hourMs) <= ((await newestWindowEnd(pool, symbol)) ?? 0) ? hourMs : undefined;
}

const READ: ReadonlySet<string> = new Set(EVENT_SOURCE_COLUMNS);

const COLUMNS = PACKET_FILE_COLUMNS.filter(({ name }) => READ.has(name));

/** Packets of one statement. */
const PAGE_ROWS = 40;

/**
 * Enters into the index of events the oldest hour of a symbol that was in the archive alone before there was an index.
 * @returns whether there was one
 * @throws {ArchiveCorruptError} when its file is missing or was changed
 */
async function indexArchivedHour(pool: Pool, reader: Pick<ArchiveReader, 'read'>, symbol: string): Promise<boolean> {
  const oldest = await firstFileWithoutEvents(pool, symbol);
  if (oldest === undefined) return false;
  const { file } = oldest;
  const packets = await reader.read(file, { columns: COLUMNS, filters: [] });
  if (packets.length === 0) throw new ArchiveCorruptError(file.key, 'it has no packet');
  const records = packets.map((values) => Object.fromEntries(COLUMNS.map(({ name }, index) => [name, values[index]])) as EventSource);
  await inTransaction(pool, async (client) => {
    for (let from = 0; from < records.length; from += PAGE_ROWS) await storeEvents(client, records.slice(from, from + PAGE_ROWS));
  });
  return true;
}
