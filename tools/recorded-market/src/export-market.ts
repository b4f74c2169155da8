import { join } from 'node:path';
import { createEventLog } from '@market-state/event-log';
import { freePort, ownInstallation, type Stores, waitForOk, withClient } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { comesTrue, openFolder, startProcess, sumOf } from '@market-state/testing';
import { playLog } from './play-log';

const HOUR_MS = 3_600_000;
const READY_MS_MAX = 600_000;
const POLL_MS = 200;

export interface MarketSettings {
  readonly symbols: readonly string[];
  /** Feed clock of the first and last message, in epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
}

/** A data plane with recorded rows: finished hours are archived, the last hour is only in the database. */
export interface ExportMarket extends MarketSettings {
  readonly stores: Stores;
  readonly archiveFolder: string;
  readonly address: string;
}

/** Records the bundled recordings, archives every finished hour, and serves them. */
export async function openExportMarket(closer: Closer, stores: Stores, settings: MarketSettings): Promise<ExportMarket> {
  const archiveFolder = join(openFolder(closer), 'archive');
  const shared = {
    FEED: 'recording',
    SYMBOLS: settings.symbols.join(','),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    ARCHIVE_URL: archiveFolder,
  };
  await record(closer, stores, settings, shared);
  const nobody = `127.0.0.1:${await freePort()}`;
  const dataPlane = await startProcess(closer, 'data-plane', {
    ...shared,
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('data-plane'),
    FEED_ADDRESS: nobody,
    RECORDER_ADDRESS: nobody,
  });
  await waitForOk(`${dataPlane.opsUrl}/livez`, timeLimit(READY_MS_MAX));
  return { ...settings, stores, archiveFolder, address: dataPlane.address };
}

async function record(closer: Closer, stores: Stores, settings: MarketSettings, shared: NodeJS.ProcessEnv): Promise<void> {
  const log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  closer.add('log', () => log.close());
  const recorder = await startProcess(closer, 'data-plane-recorder', {
    ...shared,
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('data-plane-recorder'),
  });
  const { signal } = new AbortController();
  const played = await Promise.all(
    settings.symbols.map((symbol) => playLog(log, { symbol, startMs: settings.startMs, endMs: settings.endMs }, signal)),
  );
  await untilArchived(stores, sumOf(played.map(({ entryTotal }) => entryTotal)), settings.endMs);
  await recorder.stop();
}

const LEFT = `
  SELECT (SELECT count(*) FROM channel_hour AS hour WHERE hour_ms < $1 AND NOT EXISTS (
      SELECT FROM archive_file AS file WHERE file.symbol = hour.symbol AND file.channel = hour.channel
        AND file.hour_ms = hour.hour_ms))::int AS hours,
    (SELECT coalesce(sum(ordinal), 0) FROM consumer_position WHERE consumer = 'recorder')::int AS recorded`;

async function untilArchived(stores: Stores, entries: number, endMs: number): Promise<void> {
  const lastHourMs = Math.floor(endMs / HOUR_MS) * HOUR_MS;
  await withClient(stores.postgresUrl('data_plane'), async (client) => {
    const isDone = async (): Promise<boolean> => {
      const { rows } = await client.query<{ hours: number; recorded: number }>(LEFT, [lastHourMs]);
      return rows[0]?.hours === 0 && rows[0].recorded === entries;
    };
    if (!(await comesTrue(isDone, { limitMs: READY_MS_MAX, everyMs: POLL_MS })))
      throw new Error('The recordings were not archived in time.');
  });
}
