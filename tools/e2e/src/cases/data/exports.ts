import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { userProgramFile } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { waitUntil } from '@market-state/testing';
import { keyHeader } from '../../system/api';
import { createDataReader } from './data-reader';
import type { DefaultSystem } from '../../system/default-system';

const program = userProgramFile();
const jobs = '/api/public/data/export/jobs';
const recorded = 'BTCUSD-PERP';
const simulated = 'SIMUSD-PERP';
const formats = ['parquet', 'csv', 'ndjson'] as const;
/** The exported span ends this long before the newest row, and has this length. */
const agoMs = 60_000;
const spanMs = 3 * 60_000;
const estimatedSpanMs = 10 * 60_000;
const deadlineMs = 120_000;
/** Statuses after which the request is retried. */
const passing = [429, 503];

/** An export order. A CSV book has 10 levels unless all are requested, and then could not be checked. */
interface Order {
  readonly dataset: string;
  readonly symbol: string;
  readonly format: (typeof formats)[number];
  readonly depth?: number;
}

const orders: readonly Order[] = [
  ...formats.flatMap((format) => [
    { dataset: 'trades', symbol: recorded, format },
    { dataset: 'book', symbol: recorded, format, depth: 25 },
    { dataset: 'context', symbol: simulated, format },
    { dataset: 'liquidations', symbol: simulated, format },
  ]),
  { dataset: 'candles', symbol: recorded, format: 'csv' },
  { dataset: 'packets', symbol: recorded, format: 'parquet' },
];

/** `byte_total` is an estimate until the files are made. */
interface Placed {
  readonly job_id: string;
  readonly byte_total: number;
}

interface ListedFile {
  readonly name: string;
  readonly kind: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly download_route: string;
}

/** Tests of exports over HTTP: ordering, downloading, resuming and checking. */
export function describeExports(started: () => DefaultSystem): void {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-exports-'));
  let shared: DefaultSystem;
  const jobIds = new Map<Order, string>();

  beforeAll(async () => {
    shared = started();
    const toMs = Date.now();
    await waitUntil('a liquidation', async () => (await liquidationTotal(toMs)) > 0);
    for (const order of orders) jobIds.set(order, (await place(order, toMs)).job_id);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function liquidationTotal(sinceMs: number): Promise<number> {
    const window = { symbol: simulated, start: sinceMs - 30 * 60_000, end: sinceMs + 30 * 60_000, channels: 'liquidations' };
    return (await createDataReader(shared.api).window(window)).rows.length;
  }

  /** Retries with the key while the service is busy. */
  async function ask(path: string, options: RequestInit = {}): Promise<Response> {
    const until = performance.now() + deadlineMs;
    for (;;) {
      const answer = await askOnce(path, options).catch((error: Error) => {
        // A kept-alive connection may have been closed while the test computed, so reads are retried.
        if (options.method !== undefined || performance.now() > until) throw error;
        return undefined;
      });
      if (answer !== undefined && (!passing.includes(answer.status) || performance.now() > until)) return answer;
      await answer?.arrayBuffer();
      await delay(250);
    }
  }

  function askOnce(path: string, options: RequestInit): Promise<Response> {
    const headers = { [keyHeader]: shared.key, ...(options.headers as Record<string, string> | undefined) };
    return fetch(`${shared.system.url}${path}`, { ...options, headers, signal: timeLimit(deadlineMs) });
  }

  const usualSpan = ({ symbol }: Order, nowMs: number): Readonly<Record<string, number>> =>
    symbol === recorded ? { from: nowMs - agoMs - spanMs, to: nowMs - agoMs } : { from: nowMs - 30 * 60_000 };

  async function place(order: Order, nowMs: number, span = usualSpan(order, nowMs)): Promise<Placed> {
    const { dataset, symbol, format, depth } = order;
    const utc = Object.fromEntries(Object.entries(span).map(([name, ms]) => [name, new Date(ms).toISOString()]));
    const tf = dataset === 'candles' ? '1m' : undefined;
    const body = JSON.stringify({ dataset, symbols: [symbol], format, depth, tf, ...utc });
    const answer = await ask(jobs, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const placed = (await answer.json()) as Placed;
    expect([answer.status, placed]).toEqual([200, expect.anything()]);
    return placed;
  }

  const filesOf = (order: Order): Promise<readonly ListedFile[]> => filesOfJob(jobIds.get(order) ?? '');

  async function filesOfJob(jobId: string): Promise<readonly ListedFile[]> {
    await waitUntil(`job ${jobId}`, async () => {
      const { status, error } = (await (await ask(`${jobs}/${jobId}`)).json()) as { status: string; error: unknown };
      if (status === 'failed') throw new Error(JSON.stringify(error));
      await delay(status === 'ready' ? 0 : 200);
      return status === 'ready';
    });
    const { files } = (await (await ask(`${jobs}/${jobId}/result`)).json()) as { files: ListedFile[] };
    return files;
  }

  async function download(order: Order, name: string): Promise<string> {
    const path = join(folder, name);
    mkdirSync(path);
    for (const file of await filesOf(order)) {
      const answer = await ask(file.download_route);
      expect([file.name, answer.status, answer.headers.get('etag')]).toEqual([file.name, 200, `"${file.sha256}"`]);
      writeFileSync(join(path, file.name), Buffer.from(await answer.arrayBuffer()));
    }
    return path;
  }

  it.each(orders)("$dataset of $symbol in $format matches the API's answers", async (order) => {
    const path = await download(order, `${order.dataset}-${order.format}`);
    const [exitCode, text] = await verifyExport([path, '--url', shared.system.url], shared.key);
    expect([exitCode, text]).toEqual([0, expect.stringContaining('EQUAL: every file matches its digest, and every row matches the API')]);
    expect(text).toMatch(new RegExp(`${order.symbol} +[1-9][0-9,]* rows?`));
  });

  const kinds = ['trades', 'book', 'context', 'liquidations', 'candles', 'packets'].flatMap((dataset) =>
    formats.map((format) => ({ dataset, format })),
  );

  it.each(kinds)(
    'after one file of $dataset in $format, the estimated bytes are within a tenth of what is delivered, or 1 kB',
    async (kind) => {
      const symbol = kind.dataset === 'context' || kind.dataset === 'liquidations' ? simulated : recorded;
      // The simulated market began when the system started.
      const lengthMs = symbol === simulated ? 120_000 : estimatedSpanMs;
      const toMs = Math.floor(Date.now() / lengthMs) * lengthMs;
      const first = await place({ ...kind, symbol }, toMs, { from: toMs - lengthMs, to: toMs });
      await filesOfJob(first.job_id);
      const span = { from: toMs - 2 * lengthMs, to: toMs - lengthMs };
      const { job_id: jobId, byte_total: estimated } = await place({ ...kind, symbol }, toMs, span);
      const files = await filesOfJob(jobId);
      const delivered = files.filter((file) => file.kind === 'data').reduce((sum, { bytes }) => sum + bytes, 0);
      // A few rows compress unevenly.
      expect(Math.abs(estimated - delivered)).toBeLessThanOrEqual(Math.max(delivered / 10, 1_000));
    },
  );

  it("the program names a flipped byte's file, and missing and surplus files", async () => {
    const path = await download(orders[0] as Order, 'flipped');
    const data = `trades_${recorded}_${dayOf(path)}.parquet`;
    const bytes = readFileSync(join(path, data));
    bytes.writeUInt8(bytes.readUInt8(1_000) ^ 1, 1_000);
    writeFileSync(join(path, data), bytes);
    rmSync(join(path, 'condition.json'));
    writeFileSync(join(path, 'notes.txt'), 'mine');
    const outcome = await verifyExport([path]);
    expect(outcome).toEqual([1, expect.stringContaining(`${data}: expected SHA-256`)]);
    expect(outcome[1]).toContain(`found ${createHash('sha256').update(bytes).digest('hex')}`);
    expect(outcome[1]).toContain('condition.json: missing');
    expect(outcome[1]).toContain('notes.txt: unexpected, not listed in manifest.json');
  });

  function dayOf(path: string): string {
    const { files } = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')) as { files: { date: string }[] };
    return files[0]?.date.replaceAll('-', '') ?? '';
  }

  it('an interrupted download resumes where it ended, if the file is unchanged', async () => {
    const file = (await filesOf(orders[0] as Order)).find(({ kind }) => kind === 'data') as ListedFile;
    const cutAt = Math.floor(file.bytes / 3);
    const first = await readBegin(file.download_route, cutAt);
    const resume = { range: `bytes=${first.bytes.length}-`, 'if-range': first.etag };
    const rest = await ask(file.download_route, { headers: resume });
    expect([rest.status, rest.headers.get('content-range')]).toEqual([206, `bytes ${first.bytes.length}-${file.bytes - 1}/${file.bytes}`]);
    const whole = Buffer.concat([first.bytes, Buffer.from(await rest.arrayBuffer())]);
    expect(createHash('sha256').update(whole).digest('hex')).toBe(file.sha256);

    const other = await ask(file.download_route, { headers: { ...resume, 'if-range': `"${'0'.repeat(64)}"` } });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, file.bytes]);
  });

  /** Reads at least this many bytes of a file unless it is shorter, then closes the connection. */
  async function readBegin(route: string, bytesMin: number): Promise<{ readonly bytes: Buffer; readonly etag: string }> {
    const cut = new AbortController();
    const answer = await fetch(`${shared.system.url}${route}`, { headers: { [keyHeader]: shared.key }, signal: cut.signal });
    let bytes = Buffer.alloc(0);
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
      bytes = Buffer.concat([bytes, piece]);
      if (bytes.length >= bytesMin) break;
    }
    cut.abort();
    return { bytes: bytes.subarray(0, bytesMin), etag: answer.headers.get('etag') ?? '' };
  }
}

/** Runs `verify-export` as a customer does. @returns exit code and output */
function verifyExport(args: readonly string[], key?: string): Promise<readonly [number, string]> {
  const env = { ...process.env, MARKET_STATE_API_KEY: key };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'verify-export', ...args], { env }, (error, stdout, stderr) =>
      resolve([Number(error?.code ?? 0), `${stdout}${stderr}`]),
    );
  });
}
