import { join } from 'node:path';
import { createEventLog } from '@market-state/event-log';
import { ownInstallation, type Stores, withClient } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { type Played, playLog } from '@market-state/recorded-market';
import { comesTrue, type KillableProcess, openFolder, openPrivateStores, startProcess, sumOf, withCloser } from '@market-state/testing';
import type { Closer } from '@market-state/lifecycle';
import { type Kept, readKept, readServed, type Served } from './kept';

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
  return { played, kept: await readKept(stores, archiveFolder), served: await readServed(shared, symbols) };
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
  const wanted = sumOf(played.map(({ entryTotal }) => entryTotal));
  await withClient(stores.postgresUrl('data_plane'), async (client) => {
    let left: Record<'hours' | 'rows' | 'recorded', string> | undefined;
    async function isKept(): Promise<boolean> {
      [left] = (await client.query<NonNullable<typeof left>>(LEFT, [lastHourMs, dayMs])).rows;
      return left?.hours === '0' && left.rows === '0' && Number(left.recorded) === wanted;
    }
    if (!(await comesTrue(isKept, { limitMs: LIMIT_MS, everyMs: POLL_MS })))
      throw new Error(`Not kept in time: ${JSON.stringify(left)}, ${wanted} entries to record.`);
  });
}
