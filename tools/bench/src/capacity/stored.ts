import { setTimeout as delay } from 'node:timers/promises';
import { type System, withClient } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { openRedis } from '@market-state/redis';
import type { Client } from 'pg';
import { cpuByPart, cpuOfProcess, mapParts, type Measured } from './measurements';

const JOBS = '/api/public/data/export/jobs';
const HOUR_MS = 3_600_000;
const ANSWER_MS_MAX = 30_000;
const READY_MS_MAX = 300_000;
const EXPORT_LOOK_MS = 500;

interface Job {
  readonly job_id?: string;
  readonly status?: string;
}

interface Result {
  readonly files: readonly { readonly rows: number | null; readonly bytes: number }[];
}

export async function measureExport(system: System, symbols: readonly string[], hourMs: number): Promise<Pick<Measured, 'exported'>> {
  const key = await system.demoKey();
  const ask = async <T>(path: string, options: RequestInit = {}): Promise<T> => {
    const headers = { 'x-market-state-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(system.url + path, { ...options, headers, signal: timeLimit(ANSWER_MS_MAX) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const [from, to] = [hourMs, hourMs + HOUR_MS].map((ms) => new Date(ms).toISOString());
  const order = { dataset: 'book', symbols, format: 'parquet', from, to };
  const cpuBefore = cpuOfProcess(system, 'export-worker');
  const { job_id: jobId } = await ask<Job>(JOBS, { method: 'POST', body: JSON.stringify(order) });
  const startMs = performance.now();
  for (let status: string | undefined; status !== 'ready'; await delay(EXPORT_LOOK_MS)) {
    ({ status } = await ask<Job>(`${JOBS}/${jobId}`));
    if (status === 'failed' || performance.now() - startMs > READY_MS_MAX) throw new Error(`The export is ${status}.`);
  }
  const { files } = await ask<Result>(`${JOBS}/${jobId}/result`);
  const ofRows = files.flatMap(({ rows, bytes }) => (rows === null ? [] : [{ rows, bytes }]));
  const rows = ofRows.reduce((sum, file) => sum + file.rows, 0);
  const bytes = ofRows.reduce((sum, file) => sum + file.bytes, 0);
  return {
    exported: { rows, cpuUsARow: ((cpuOfProcess(system, 'export-worker') - cpuBefore) * 1_000) / rows, bytesARow: bytes / rows },
  };
}

type AtRest = Pick<Measured, 'entriesPerSecond' | 'redisBytesAnEntry' | 'resting'>;

export async function measureAtRest(system: System, symbols: readonly string[], durationMs: number): Promise<AtRest> {
  const redis = openRedis(system.stores.redisUrl, { role: 'bench', logger: silentLogger(), manner: 'patient' });
  try {
    const appended = async (): Promise<number> => {
      const counts = await Promise.all(
        symbols.map(async (symbol) => {
          // A symbol that has not started has no log.
          if ((await redis.exists(keyOf(symbol))) === 0) return 0;
          return fieldOf(await redis.call('XINFO', 'STREAM', keyOf(symbol)), 'entries-added');
        }),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    };
    const [startMs, entriesBefore, cpuBefore] = [performance.now(), await appended(), cpuByPart(system)];
    await delay(durationMs);
    const [tookMs, entries, cpu] = [performance.now() - startMs, (await appended()) - entriesBefore, cpuByPart(system)];
    const sizes = await Promise.all(
      symbols.map(async (symbol) => ({
        bytes: Number(await redis.call('MEMORY', 'USAGE', keyOf(symbol), 'SAMPLES', '0')),
        entries: await redis.xlen(keyOf(symbol)),
      })),
    );
    const sum = (part: 'bytes' | 'entries'): number => sizes.reduce((total, size) => total + size[part], 0);
    return {
      entriesPerSecond: (entries * 1_000) / tookMs / symbols.length,
      redisBytesAnEntry: sum('bytes') / sum('entries'),
      resting: mapParts(cpu, (ms, part) => (ms - cpuBefore[part]) / tookMs / symbols.length),
    };
  } finally {
    redis.disconnect();
  }
}

function keyOf(symbol: string): string {
  return `md:{${symbol}}`;
}

/** A number from an answer of alternating names and values. @throws Error if it is missing */
function fieldOf(answer: unknown, name: string): number {
  const parts = answer as readonly unknown[];
  const at = parts.indexOf(name);
  if (at === -1) throw new Error(`Redis reports no ${name}.`);
  return Number(parts[at + 1]);
}

const HOUR_SECONDS = 3_600;
/** Minimum span of rows in a whole hour: a start begins within another. */
const WHOLE_MS_MIN = 3_500_000;
const LOOK_MS = 2_000;
const ARCHIVED_MS_MAX = 300_000;

type Stored = Pick<
  Measured,
  'rowsPerSecond' | 'payloadBytesARow' | 'diskFactor' | 'archiveBytesAnHour' | 'packetBytes' | 'eventIndexBytes' | 'checkpointBytes'
>;

/** Mean sizes per symbol of stored data. Waits for the files of a whole hour. */
export async function measureStored(system: System, symbols: readonly string[]): Promise<Stored & { readonly hourMs: number }> {
  const rows = await withClient(system.stores.ownerUrl('data_plane'), async (client) => {
    const hourMs = await archivedHour(client, symbols);
    const hour = await one(
      client,
      `SELECT sum(row_total) AS rows, sum(payload_bytes) AS payload FROM channel_hour WHERE symbol = ANY($1) AND hour_ms = $2`,
      [symbols, hourMs],
    );
    const files = await one(client, 'SELECT sum(byte_total) AS bytes FROM archive_file WHERE symbol = ANY($1) AND hour_ms = $2', [
      symbols,
      hourMs,
    ]);
    const disk = await one(
      client,
      `SELECT (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('log_entry') WHERE isleaf) AS bytes,
         (SELECT sum(payload_bytes) FROM channel_hour) AS payload`,
      [],
    );
    return {
      hourMs,
      rowsPerSecond: numberOf(hour, 'rows') / HOUR_SECONDS / symbols.length,
      payloadBytesARow: numberOf(hour, 'payload') / numberOf(hour, 'rows'),
      diskFactor: numberOf(disk, 'bytes') / numberOf(disk, 'payload'),
      archiveBytesAnHour: numberOf(files, 'bytes') / symbols.length,
    };
  });
  const packets = await withClient(system.stores.ownerUrl('labeling'), async (client) => {
    const size = (table: string, of: string): string => `pg_total_relation_size('${table}')::float8 / (SELECT count(*) FROM ${of})`;
    const found = await one(
      client,
      `SELECT ${size('packet', 'packet')} AS packet, ${size('event', 'packet')} AS event, ${size('checkpoint', 'checkpoint')} AS checkpoint`,
      [],
    );
    return {
      packetBytes: numberOf(found, 'packet'),
      eventIndexBytes: numberOf(found, 'event'),
      checkpointBytes: numberOf(found, 'checkpoint'),
    };
  });
  return { ...rows, ...packets };
}

/** Start of the newest whole hour for which every symbol has a file of books. @throws Error if none appears in time */
async function archivedHour(client: Client, symbols: readonly string[]): Promise<number> {
  for (const startMs = performance.now(); performance.now() - startMs < ARCHIVED_MS_MAX; await delay(LOOK_MS)) {
    const { rows } = await client.query<{ hour_ms: string }>(
      `SELECT hour_ms FROM archive_file WHERE symbol = ANY($1) AND channel = 'book' GROUP BY hour_ms
       HAVING count(*) = $2 AND min(max_exchange_ms - min_exchange_ms) >= $3 ORDER BY hour_ms DESC LIMIT 1`,
      [symbols, symbols.length, WHOLE_MS_MIN],
    );
    if (rows[0] !== undefined) return Number(rows[0].hour_ms);
  }
  throw new Error('No whole hour was archived in five minutes.');
}

type Row = Readonly<Record<string, unknown>>;

async function one(client: Client, text: string, values: unknown[]): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  return rows[0] ?? {};
}

function numberOf(row: Row, column: string): number {
  return Number(row[column]);
}
