import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEventLog } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, testRpcVariables, waitUntil } from '@market-state/testing';
import { bundleProcess } from './bundle-process';
import { quietMarket, START_MS, SYMBOL } from './log-fixture';
import { expectTrueRecord, serveInstrument } from './recorded-truth';

const KILLS = 12;
const ENTRIES = 30_000;
const seed = Number(process.env['RECORDER_KILL_SEED'] ?? Date.now() % 1_000_000);

const folder = mkdtempSync(join(tmpdir(), 'recorder-bundle-'));
const bundle = join(folder, 'recorder.js');

beforeAll(() => {
  bundleProcess('recorder-main.ts', bundle);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Market with duplicate trades and cuts. */
function market() {
  const fixture = quietMarket(ENTRIES - 300);
  const trades = fixture.events.filter((event) => event.kind === 'trade');
  for (let index = 0; index < 299; index += 1) {
    const again = trades[(index * 7) % trades.length];
    if (again?.kind === 'trade' && index % 10 !== 0) fixture.trade(again.exchangeTsMs, again.venueId, again.price, again.size);
    else fixture.status(START_MS, { type: 'disconnected', reason: 'closed' });
  }
  return fixture.tick(START_MS + ENTRIES * 100);
}

test(`killed at ${KILLS} random moments, each entry is one row, counted once (RECORDER_KILL_SEED=${seed})`, async () => {
  const stores = await startStores({ services: ['data_plane'] });
  const pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
  const log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  await serveInstrument(pool, SYMBOL);
  const fixture = market();
  const entries = fixture.take();
  for (let from = 0; from < entries.length; from += 1_000) await log.append(SYMBOL, entries.slice(from, from + 1_000));

  const recorded = async (): Promise<number> => {
    const { rows } = await pool.query<{ ordinal: string }>(`SELECT ordinal FROM consumer_position WHERE consumer = 'recorder'`);
    return Number(rows[0]?.ordinal ?? 0);
  };
  const env = {
    PATH: process.env['PATH'],
    ...testRpcVariables('data-plane-recorder'),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    SYMBOLS: SYMBOL,
    LOG_LEVEL: 'silent',
    GRPC_ADDRESS: '127.0.0.1:0',
  };
  let state = seed;
  const random = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  const killAt = [...Array.from({ length: KILLS }, () => random(ENTRIES - 3_000)), ENTRIES].sort((a, b) => a - b);
  for (const ordinal of killAt) {
    const recorder = spawn(process.execPath, [bundle], { env, stdio: 'ignore' });
    const gone = once(recorder, 'exit');
    await waitUntil(`entry ${ordinal} recorded`, async () => (await recorded()) >= ordinal).finally(() => recorder.kill('SIGKILL'));
    await gone;
  }
  await expectTrueRecord(pool, SYMBOL, fixture.events);
  await log.close();
  await pool.end();
  await stores.stop();
});
