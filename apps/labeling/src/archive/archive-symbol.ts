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

export interface KeptDays {
  /** 0: until they are archived and can't be labelled again. */
  readonly hotDays: number;
  readonly archiveDays: number;
}

export interface ArchiveSymbolDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly writer: ArchiveWriter;
  readonly reader: Pick<ArchiveReader, 'read'>;
  readonly days: KeptDays;
  /** Packets this recent stay in the database, because labeling may produce them again after a restart. */
  readonly labelledAgainMs: number;
  readonly metrics: ArchiveMetrics;
  readonly logger: Logger;
}

/**
 * Archives every finished hour, then deletes expired rows and files. What can't be archived or removed stays and is
 * logged. Rejects if a store fails.
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
      logger.info({ key: manifest.object_key, rows: manifest.rows, bytes: manifest.bytes }, 'hour archived');
    }
    await endDays(deps, kind, symbol);
    while (kind.table === 'packet' && !signal.aborted && (await indexArchivedHour(pool, deps.reader, symbol)));
    metrics.blocked(kind.channel, symbol, false);
  } catch (error) {
    if (!(error instanceof ArchiveCorruptError) && !(error instanceof HourNotArchivedError)) throw error;
    metrics.blocked(kind.channel, symbol, true);
    logger.error({ symbol, channel: kind.channel, err: error }, 'the archive needs attention; affected rows stay in the database');
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
  if (dropped > 0) logger.info({ symbol, channel: kind.channel, hours: dropped }, 'archived hours removed from the database');
  const deleted = await deleteFiles(pool, store, kind, symbol, newestMs - days.archiveDays * DAY_MS);
  if (deleted > 0) logger.info({ symbol, channel: kind.channel, files: deleted }, 'expired archive files deleted');
}

/** Small, because packet bodies are large and labelling continues between reads. */
const HOUR_PAGE_ROWS = 16;

interface HourDeps {
  readonly pool: Pool;
  readonly writer: ArchiveWriter;
}

/**
 * Archives one finished hour: file, read-back, manifest, and registration last, over the connection that holds the
 * archiver's lock. Safe to repeat after an interruption at any point.
 * @throws {ArchiveCorruptError} if the store returns other bytes than written
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

interface ArchiveMetrics {
  archived(channel: ArchivedChannel, manifest: Manifest): void;
  blocked(channel: ArchivedChannel, symbol: string, isBlocked: boolean): void;
}

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

class HourNotArchivedError extends Error {
  override readonly name = 'HourNotArchivedError';
}

/**
 * Removes rows of archived hours that end at or before `beforeMs`, oldest first, one hour at a time. Verifies the
 * file's SHA-256 again, and that exactly its number of rows is deleted. Records the archived events. An hour stays
 * until the event index, which is filled in window order, has one of a later hour.
 * @returns hours removed
 * @throws {HourNotArchivedError} if an hour's rows differ from its file
 * @throws {ArchiveCorruptError} if a file is missing or was changed
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
      throw new HourNotArchivedError(`${symbol} has ${deleted} ${channel} rows in the hour of ${hourMs}, but its file has ${rowTotal}`);
    await markArchived(client, { symbol, channel, hourMs });
  });
}

/**
 * Deletes archive-only files of hours that end at or before `beforeMs`: marked first, so that no reader is sent to
 * them, and unregistered last, so that an interruption leaves no orphans.
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

/** Oldest hour without a file that is finished: a later hour has a packet. */
async function nextFinishedHour(pool: Pool, { channel, table }: ArchivedKind, symbol: string): Promise<number | undefined> {
  const firstMs = await firstWindowWithoutFile(pool, table, channel, symbol);
  if (firstMs === undefined) return undefined;
  const hourMs = hourOf(firstMs);
  return hourEnd(hourMs) <= ((await newestWindowEnd(pool, symbol)) ?? 0) ? hourMs : undefined;
}

const READ: ReadonlySet<string> = new Set(EVENT_SOURCE_COLUMNS);

const COLUMNS = PACKET_FILE_COLUMNS.filter(({ name }) => READ.has(name));

const PAGE_ROWS = 40;

/**
 * Indexes the oldest hour that was archived before the event index existed.
 * @returns false if there is none
 * @throws {ArchiveCorruptError} if its file is missing or was changed
 */
async function indexArchivedHour(pool: Pool, reader: Pick<ArchiveReader, 'read'>, symbol: string): Promise<boolean> {
  const oldest = await firstFileWithoutEvents(pool, symbol);
  if (oldest === undefined) return false;
  const { file } = oldest;
  const packets = await reader.read(file, { columns: COLUMNS, filters: [] });
  if (packets.length === 0) throw new ArchiveCorruptError(file.key, 'it has no packets');
  const records = packets.map((values) => Object.fromEntries(COLUMNS.map(({ name }, index) => [name, values[index]])) as EventSource);
  await inTransaction(pool, async (client) => {
    for (let from = 0; from < records.length; from += PAGE_ROWS) await storeEvents(client, records.slice(from, from + PAGE_ROWS));
  });
  return true;
}
