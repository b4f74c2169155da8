import { createEventLog, type EventLog, formatEntryId, LOG_START } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, testRpcVariables, type TestStores, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { readRecorderConfig } from '../src/config';
import { type RunningRecorder, startRecorder } from '../src/recorder/start-recorder';
import { SYMBOL } from './log-fixture';
import { serveInstrument } from './recorded-truth';

/** A log, a database, and recorders started by the test. */
export class RecorderUnderTest {
  private recorder: RunningRecorder | undefined;

  private constructor(
    private readonly stores: TestStores,
    readonly pool: Pool,
    readonly log: EventLog,
  ) {}

  static async open(): Promise<RecorderUnderTest> {
    const stores = await startStores({ services: ['data_plane'] });
    const pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
    const log = createEventLog(stores.redisUrl, { logger: silentLogger() });
    await serveInstrument(pool, SYMBOL);
    return new RecorderUnderTest(stores, pool, log);
  }

  /** The test closes it. */
  another(): Promise<RunningRecorder> {
    return startRecorder(
      readRecorderConfig({
        ...testRpcVariables('data-plane-recorder'),
        DATABASE_URL: this.stores.postgresUrl('data_plane'),
        REDIS_URL: this.stores.redisUrl,
        SYMBOLS: SYMBOL,
        LOG_LEVEL: 'silent',
        SHUTDOWN_WAIT_MS: '0',
      }),
    );
  }

  async start(): Promise<RunningRecorder> {
    this.recorder = await this.another();
    return this.recorder;
  }

  async stop(): Promise<void> {
    await this.recorder?.close();
    this.recorder = undefined;
  }

  async recordedOrdinal(): Promise<number> {
    const { rows } = await this.pool.query<{ ordinal: string }>(
      `SELECT ordinal FROM consumer_position WHERE consumer = 'recorder' AND symbol = $1`,
      [SYMBOL],
    );
    return Number(rows[0]?.ordinal ?? 0);
  }

  untilRecorded(ordinal: number): Promise<unknown> {
    return waitUntil(`entry ${ordinal} recorded`, async () => (await this.recordedOrdinal()) >= ordinal);
  }

  /** Returns log entries, for a byte-by-byte comparison. */
  async storedEntries(): Promise<[string, string][]> {
    const { rows } = await this.pool.query<{ epoch: number; ordinal: string; payload: Buffer }>(
      'SELECT epoch, ordinal, payload FROM log_entry WHERE symbol = $1 ORDER BY ordinal',
      [SYMBOL],
    );
    return rows.map(({ epoch, ordinal, payload }) => [`${epoch}-${ordinal}`, payload.toString('hex')]);
  }

  async logEntries(): Promise<[string, string][]> {
    const entries = await this.log.read(SYMBOL, LOG_START, { count: 100_000 });
    return entries.map((entry) => [formatEntryId(entry), Buffer.from(entry.payload).toString('hex')]);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.log.close();
    await this.pool.end();
    await this.stores.stop();
  }
}
