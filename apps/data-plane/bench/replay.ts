import { ROW_FLAG } from '@market-state/market-data';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { marketData } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { freePort, startStores, testPeer, testRpcVariables } from '@market-state/testing';
import type { Pool } from 'pg';
import { HOUR_MS, openBenchPool, recordHour, START_MS, SYMBOL } from './recorded-hour';

/**
 * Throughput of reading an hour over gRPC from another process, by pages and by full-speed replay (public lines, digest
 * chain and receipt included), relative to one SQL query for the same rows. Run: node --import @oxc-node/core/register
 * apps/data-plane/bench/replay.ts
 */

const ROUNDS = 3;
const MIB = 1_024 * 1_024;
const WINDOW = { symbol: SYMBOL, startMs: START_MS, endMs: START_MS + HOUR_MS, channels: ['book', 'trades', 'control'], asOfMs: 0 };
const EVERY_ROW = `
  SELECT ordinal, epoch, channel, exchange_ts_ms, received_ts_ms, flags, payload FROM log_entry
  WHERE symbol = $1 AND exchange_ts_ms >= $2 AND exchange_ts_ms < $3 AND flags & ${ROW_FLAG.duplicate} = 0 ORDER BY ordinal`;

type Call = GrpcClient<typeof marketData.MarketDataServiceService>['call'];

interface Reading {
  readonly rows: number;
  /** Size of stored entries, or of public lines. */
  readonly bytes: number;
  readonly durationMs: number;
}

async function timed(read: () => Promise<readonly Uint8Array[]>): Promise<Reading> {
  const startedMs = performance.now();
  const texts = await read();
  return {
    rows: texts.length,
    bytes: texts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    durationMs: performance.now() - startedMs,
  };
}

async function sql(pool: Pool): Promise<Buffer[]> {
  const { rows } = await pool.query<{ payload: Buffer }>(EVERY_ROW, [SYMBOL, WINDOW.startMs, WINDOW.endMs]);
  return rows.map(({ payload }) => payload);
}

async function pages(call: Call): Promise<Buffer[]> {
  const lines: Buffer[] = [];
  let pageToken = '';
  do {
    let end: marketData.WindowPageEnd | undefined;
    for await (const message of call.readWindow({ ...WINDOW, pageSize: 0, pageToken })) {
      lines.push(...message.rows.map(({ line }) => line));
      end = message.end;
    }
    if (end === undefined) throw new Error('A page ended without its end message.');
    pageToken = end.nextPageToken;
  } while (pageToken !== '');
  return lines;
}

async function replay(call: Call): Promise<Buffer[]> {
  const lines: Buffer[] = [];
  let receipt: marketData.Completeness | undefined;
  for await (const { frame } of call.streamReplay({ ...WINDOW, speed: 0, after: undefined, further: [] })) {
    if (frame?.$case === 'rows') lines.push(...frame.value.rows.map(({ line }) => line));
    if (frame?.$case === 'receipt') receipt = frame.value;
  }
  if (receipt?.rowsSent !== lines.length) throw new Error(`The receipt states ${receipt?.rowsSent} rows, but ${lines.length} arrived.`);
  return lines;
}

async function measure(pool: Pool, call: Call): Promise<void> {
  const ways = { pages: () => pages(call), replay: () => replay(call) } as const;
  const ratios = { pages: [] as number[], replay: [] as number[] };
  let rows = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const plain = await timed(() => sql(pool));
    rows = plain.rows;
    const said = [`SQL ${rate(plain)}`];
    for (const way of ['pages', 'replay'] as const) {
      const reading = await timed(ways[way]);
      if (reading.rows !== plain.rows) throw new Error(`SQL has ${plain.rows} rows, but ${way} returned ${reading.rows}.`);
      if (round > 0) ratios[way].push(plain.durationMs / reading.durationMs);
      said.push(`${way} ${rate(reading)}, ratio ${(plain.durationMs / reading.durationMs).toFixed(3)}`);
    }
    console.log(`${round === 0 ? 'warm up' : `round ${round}`}: ${said.join('; ')}`);
  }
  console.log(
    `${rows} rows of an hour; median ratios to SQL: pages ${median(ratios.pages).toFixed(3)}, replay ${median(ratios.replay).toFixed(3)}`,
  );
}

function rate({ rows, bytes, durationMs }: Reading): string {
  return `${Math.round((rows / durationMs) * 1_000).toLocaleString('en')} rows/s (${((bytes / MIB / durationMs) * 1_000).toFixed(1)} MiB/s)`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

async function main(): Promise<void> {
  const stores = await startStores({ services: ['data_plane'] });
  const pool = openBenchPool(stores);
  const unreachable = `127.0.0.1:${await freePort()}`;
  const env = {
    ...process.env,
    ...testRpcVariables('data-plane'),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    FEED: 'recording',
    SYMBOLS: SYMBOL,
    FEED_ADDRESS: unreachable,
    RECORDER_ADDRESS: unreachable,
    GRPC_ADDRESS: '127.0.0.1:0',
    OPS_PORT: '0',
    LOG_LEVEL: 'silent',
  };
  await pool.query(
    `INSERT INTO served_instrument (symbol, feed, venue, venue_instrument, contract_value, source_kind)
      VALUES ($1, 'recording', 'binance-coinm', 'BTCUSD_PERP', 100, 'recorded')`,
    [SYMBOL],
  );
  await recordHour(pool, stores.redisUrl);
  await pool.query('ANALYZE');
  const server = fork(join(import.meta.dirname, 'data-plane-server.ts'), { env });
  try {
    const [address] = (await once(server, 'message')) as [string];
    const client = createClient({ definition: marketData.MarketDataServiceService, peer: testPeer('data-plane'), address });
    await measure(pool, client.call);
    await client.close();
  } finally {
    server.kill('SIGKILL');
    await pool.end();
    await stores.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
