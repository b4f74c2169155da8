import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { createFolderStore, readManifest } from '@market-state/archive';
import { marketData } from '@market-state/contracts';
import { createEventLog } from '@market-state/event-log';
import { createClient } from '@market-state/grpc';
import { ownInstallation, type Stores, withClient, freePort, waitForOk } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { decodeEvent } from '@market-state/market-data';
import { type Played, playLog } from '@market-state/recorded-market';
import { comesTrue, type KillableProcess, openFolder, openPrivateStores, startProcess, sumOf, withCloser } from '@market-state/testing';

interface StoredFile {
  readonly object_key: string;
  readonly rows: number;
  readonly rows_sha256: string;
  readonly sha256: string;
}

interface Kept {
  readonly files: readonly StoredFile[];
  readonly hotTotal: number;
  readonly faults: readonly string[];
}

async function readStored(stores: Stores, archiveFolder: string): Promise<Kept> {
  const store = createFolderStore(archiveFolder);
  const faults: string[] = [];
  const { rows, hotTotal } = await withClient(stores.postgresUrl('data_plane'), async (client) => ({
    rows: (
      await client.query<StoredFile & { row_total: string }>(
        'SELECT object_key, row_total, rows_sha256, sha256 FROM archive_file ORDER BY object_key',
      )
    ).rows,
    hotTotal: Number((await client.query<{ total: string }>('SELECT count(*) AS total FROM log_entry')).rows[0]?.total),
  }));
  for (const { object_key: key, row_total: total, rows_sha256: chain, sha256 } of rows) {
    const manifest = await readManifest(store, key);
    const isSame = manifest?.rows === Number(total) && manifest.rows_sha256 === chain && manifest.sha256 === sha256;
    if (!isSame) faults.push(`${key}: the manifest does not match the database.`);
  }
  const known = new Set(rows.map(({ object_key }) => object_key));
  const files = (await store.list('')).filter((key) => key.endsWith('.parquet'));
  for (const key of files) if (!known.has(key)) faults.push(`${key}: the database has no record of this file.`);
  return {
    files: rows.map(({ object_key, row_total, rows_sha256, sha256 }) => ({ object_key, rows: Number(row_total), rows_sha256, sha256 })),
    hotTotal,
    faults,
  };
}

interface Served {
  readonly entryTotal: number;
  readonly digest: string;
  readonly contradictions: number;
  readonly outOfOrder: number | undefined;
}

function readServed(env: NodeJS.ProcessEnv, symbols: readonly string[]): Promise<Map<string, Served>> {
  return withCloser(async (closer) => {
    const nobody = `127.0.0.1:${await freePort()}`;
    const dataPlane = await startProcess(closer, 'data-plane', {
      ...env,
      RPC_TOKEN_FILE: ownInstallation().writeTokenFile('data-plane'),
      FEED_ADDRESS: nobody,
      RECORDER_ADDRESS: nobody,
    });
    const client = createClient({
      definition: marketData.MarketDataServiceService,
      peer: ownInstallation().peer('data-plane'),
      address: dataPlane.address,
    });
    closer.add('client', () => client.close());
    await waitForOk(`${dataPlane.opsUrl}/livez`, timeLimit(60_000));
    const served = new Map<string, Served>();
    for (const symbol of symbols)
      served.set(symbol, await readLog(client.call.streamLogEntries({ symbol, afterOrdinal: 0, toOrdinal: 0 })));
    return served;
  });
}

async function readLog(messages: AsyncIterable<marketData.StreamLogEntriesResponse>): Promise<Served> {
  const digest = createHash('sha256');
  let entryTotal = 0;
  let contradictions = 0;
  let outOfOrder: number | undefined;
  for await (const { entries, contradictingOrdinals } of messages) {
    contradictions += contradictingOrdinals.length;
    for (const payload of entries) {
      entryTotal += 1;
      digest.update(payload);
      if (decodeEvent(payload).ordinal !== entryTotal) outOfOrder ??= entryTotal;
    }
  }
  return { entryTotal, digest: digest.digest('hex'), contradictions, outOfOrder };
}

interface ArchiveRunSettings {
  readonly symbols: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
}

export interface ArchiveRun {
  readonly played: readonly Played[];
  readonly kept: Kept;
  readonly served: ReadonlyMap<string, Served>;
}

export interface Disturbed {
  readonly recorder: KillableProcess;
  readonly archiveFolder: string;
  readonly isDone: () => boolean;
}

const HOUR_MS = 3_600_000;
const LIMIT_MS = 900_000;
const POLL_MS = 200;

/**
 * Plays recordings into a dedicated recorder until every finished hour is archived and every finished day is dropped
 * from the database.
 */
export function runArchive(settings: ArchiveRunSettings, disturb: (run: Disturbed) => Promise<void>): Promise<ArchiveRun> {
  return withCloser((closer) => play(closer, settings, disturb));
}

async function play(
  closer: Closer,
  { symbols, startMs, endMs }: ArchiveRunSettings,
  disturb: (run: Disturbed) => Promise<void>,
): Promise<ArchiveRun> {
  const archiveFolder = join(openFolder(closer), 'archive');
  const stores = await openPrivateStores(closer, 'data_plane');
  const shared = {
    FEED: 'recording',
    SYMBOLS: symbols.join(','),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    ARCHIVE_URL: archiveFolder,
  };
  const log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  closer.add('log', () => log.close());
  const recorder = await startProcess(closer, 'data-plane-recorder', {
    ...shared,
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('data-plane-recorder'),
    HOT_DAYS: '0',
  });
  const stop = new AbortController();
  let isDone = false;
  const disturbing = disturb({ recorder, archiveFolder, isDone: () => isDone });
  closer.add('disturbing', async () => {
    stop.abort(new Error('the run is over'));
    isDone = true;
    await disturbing.catch(() => undefined);
  });
  const played = await Promise.all(symbols.map((symbol) => playLog(log, { symbol, startMs, endMs }, stop.signal)));
  await untilKept(stores, played, endMs);
  isDone = true;
  await disturbing;
  await untilKept(stores, played, endMs);
  return { played, kept: await readStored(stores, archiveFolder), served: await readServed(shared, symbols) };
}

const LEFT = `
  SELECT (SELECT count(*) FROM channel_hour AS hour WHERE hour_ms < $1 AND NOT EXISTS (
      SELECT FROM archive_file AS file WHERE file.symbol = hour.symbol AND file.channel = hour.channel
        AND file.hour_ms = hour.hour_ms)) AS hours,
    (SELECT count(*) FROM log_entry WHERE exchange_ts_ms < $2) AS rows,
    (SELECT coalesce(sum(ordinal), 0) FROM consumer_position WHERE consumer = 'recorder') AS recorded`;

async function untilKept(stores: Stores, played: readonly Played[], endMs: number): Promise<void> {
  const lastHourMs = Math.floor(endMs / HOUR_MS) * HOUR_MS;
  const dayMs = Math.floor(endMs / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const wanted = sumOf(played.map(({ entryTotal }) => entryTotal));
  await withClient(stores.postgresUrl('data_plane'), async (client) => {
    let left: Record<'hours' | 'rows' | 'recorded', string> | undefined;
    async function isKept(): Promise<boolean> {
      [left] = (await client.query<NonNullable<typeof left>>(LEFT, [lastHourMs, dayMs])).rows;
      return left?.hours === '0' && left.rows === '0' && Number(left.recorded) === wanted;
    }
    if (!(await comesTrue(isKept, { limitMs: LIMIT_MS, everyMs: POLL_MS })))
      throw new Error(`Not archived in time: ${JSON.stringify(left)}, ${wanted} entries to record.`);
  });
}
