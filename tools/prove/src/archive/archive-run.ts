import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createEventLog } from '@market-state/event-log';
import { freePort, migrate, ownInstallation, startStores, type Stores, withClient } from '@market-state/launcher';
import { createLogger } from '@market-state/logging';
import { type KillableProcess, runBundle } from './child-process';
import { type Kept, readKept, readServed, type Served } from './kept';
import { type Played, playLog } from './play-log';

/** What is played, and how long rows stay hot. */
export interface ArchiveRunSettings {
  readonly symbols: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
}

export interface ArchiveRun {
  readonly played: readonly Played[];
  readonly kept: Kept;
  readonly served: ReadonlyMap<string, Served>;
}

/** A recorder at work, for whoever disturbs it. */
export interface Disturbed {
  readonly recorder: KillableProcess;
  readonly archiveFolder: string;
  /** Whether everything is recorded, archived and dropped that is to be. */
  readonly isDone: () => boolean;
}

const HOUR_MS = 3_600_000;
const LIMIT_MS = 900_000;
const POLL_MS = 200;

/**
 * Plays recordings into a recorder of its own, with rows hot until they are archived, until every finished hour is archived and every
 * finished day dropped.
 */
export async function runArchive(settings: ArchiveRunSettings, disturb: (run: Disturbed) => Promise<void>): Promise<ArchiveRun> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-archive-'));
  const stores = await startStores();
  try {
    await migrate(stores.migrationTargets(['data_plane']));
    return await play(settings, stores, join(folder, 'archive'), disturb);
  } finally {
    await stores.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(
  settings: ArchiveRunSettings,
  stores: Stores,
  archiveFolder: string,
  disturb: (run: Disturbed) => Promise<void>,
): Promise<ArchiveRun> {
  const { symbols, startMs, endMs } = settings;
  const shared = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    NODE_ENV: 'development',
    LOG_LEVEL: 'fatal',
    SHUTDOWN_WAIT_MS: '0',
    FEED: 'recording',
    SYMBOLS: symbols.join(','),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    ARCHIVE_DIR: archiveFolder,
  };
  const env = {
    ...shared,
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('data-plane-recorder'),
    HOT_DAYS: '0',
    GRPC_ADDRESS: `127.0.0.1:${await freePort()}`,
    OPS_PORT: '0',
  };
  const recorder = runBundle('data-plane-recorder', env);
  const log = createEventLog(stores.redisUrl, { logger: createLogger('prove', { level: 'fatal' }) });
  const stop = new AbortController();
  let isDone = false;
  const disturbing = disturb({ recorder, archiveFolder, isDone: () => isDone });
  try {
    const played = await Promise.all(symbols.map((symbol) => playLog(log, { symbol, startMs, endMs }, stop.signal)));
    await untilKept(stores, played, endMs);
    isDone = true;
    await disturbing;
    await untilKept(stores, played, endMs);
    return { played, kept: await readKept(stores, archiveFolder), served: await readServed(shared, symbols) };
  } finally {
    stop.abort(new Error('the run is over'));
    isDone = true;
    await disturbing.catch(() => undefined);
    await recorder.stop();
    await log.close();
  }
}

const LEFT = `
  SELECT (SELECT count(*) FROM channel_hour AS hour WHERE hour_ms < $1 AND NOT EXISTS (
      SELECT FROM archive_file AS file WHERE file.symbol = hour.symbol AND file.channel = hour.channel
        AND file.hour_ms = hour.hour_ms)) AS hours,
    (SELECT count(*) FROM log_entry WHERE exchange_ts_ms < $2) AS rows,
    (SELECT coalesce(sum(ordinal), 0) FROM consumer_position WHERE consumer = 'recorder') AS recorded`;

/** Resolves when every entry is recorded, every hour before the last archived, and no row of a finished day hot. */
async function untilKept(stores: Stores, played: readonly Played[], endMs: number): Promise<void> {
  const lastHourMs = Math.floor(endMs / HOUR_MS) * HOUR_MS;
  const dayMs = Math.floor(endMs / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const wanted = played.reduce((sum, { entryTotal }) => sum + entryTotal, 0);
  const deadline = performance.now() + LIMIT_MS;
  await withClient(stores.postgresUrl('data_plane'), async (client) => {
    for (;;) {
      const { rows } = await client.query<Record<'hours' | 'rows' | 'recorded', string>>(LEFT, [lastHourMs, dayMs]);
      const left = rows[0];
      if (left?.hours === '0' && left.rows === '0' && Number(left.recorded) === wanted) return;
      if (performance.now() > deadline) throw new Error(`Not kept in time: ${JSON.stringify(left)}, ${wanted} entries to record.`);
      await delay(POLL_MS);
    }
  });
}
