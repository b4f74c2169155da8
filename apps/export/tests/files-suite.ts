import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openEngine } from '@market-state/archive';
import { exports } from '@market-state/contracts';
import { eventOfColumns, rowLine } from '@market-state/market-data';
import { type ExportUnderTest, TENANT } from './export-under-test';
import { DAY_1_MS, DAY_MS, HOUR_MS, SYMBOL } from './trades-market';

/** Tests of export files, for any kind of store. */
export function filesSuite(start: () => Promise<ExportUnderTest>): void {
  let test: ExportUnderTest;
  let folder: string;

  beforeAll(async () => {
    test = await start();
    folder = await mkdtemp(join(tmpdir(), 'export-read-'));
  });

  afterAll(async () => {
    await test?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Downloads every file of a job and queries the first data file. */
  async function query(job: exports.Job, statement: (file: string) => string): Promise<Readonly<Record<string, unknown>>[]> {
    const { files } = await test.call.getResult({ tenantId: TENANT, jobId: job.jobId });
    const name = files.find(({ isData }) => isData)?.name ?? '';
    const path = join(folder, name);
    await writeFile(path, await test.file(job.jobId, name));
    const engine = await openEngine({ memoryMb: 128 });
    try {
      return await engine.run(async (connection) => (await connection.runAndReadAll(statement(path))).getRowObjects());
    } finally {
      engine.close();
    }
  }

  const FORMATS = [
    [exports.FileFormat.PARQUET, exports.Compression.ZSTD, 'parquet', (file: string) => `SELECT * FROM read_parquet('${file}')`],
    [exports.FileFormat.CSV, exports.Compression.GZIP, 'csv.gz', (file: string) => `SELECT * FROM read_csv('${file}', all_varchar = true)`],
    [
      exports.FileFormat.NDJSON,
      exports.Compression.NONE,
      'ndjson',
      (file: string) => `SELECT * FROM read_json('${file}', convert_strings_to_integers = false)`,
    ],
  ] as const;

  it.each(FORMATS)('archived and unarchived rows share a file in log order: %s', async (format, compression, extension, read) => {
    const job = await test.done({ format, compression, fromMs: DAY_1_MS + DAY_MS });
    expect(job).toMatchObject({ status: exports.JobStatus.READY, rowTotal: 120, observedExportCredits: 2 });
    const rows = await query(job, read);
    const trades = test.market.hours.flatMap((hour) => hour.trades).filter(({ event }) => event.exchangeTsMs >= DAY_1_MS + DAY_MS);
    const lines = rows.map((row) => {
      const event = eventOfColumns('trade', row);
      return event === undefined ? undefined : Buffer.from(rowLine(event)).toString();
    });
    expect(lines).toEqual(trades.map(({ event }) => Buffer.from(rowLine(event)).toString()));
    const { files } = await test.call.getResult({ tenantId: TENANT, jobId: job.jobId });
    expect(files[0]?.name).toBe(`trades_${SYMBOL}_20260111.${extension}`);
  });

  it('makes one file per day, and the same bytes for the same plan', async () => {
    const [one, other] = [
      await test.done(),
      await test.done({ columns: ['ordinal', 'price'], format: exports.FileFormat.CSV, compression: exports.Compression.NONE }),
    ];
    const { files, checkable } = await test.call.getResult({ tenantId: TENANT, jobId: one.jobId });
    expect(files.filter(({ isData }) => isData).map(({ name, rows }) => [name, rows])).toEqual([
      [`trades_${SYMBOL}_20260110.parquet`, 1_440],
      [`trades_${SYMBOL}_20260111.parquet`, 120],
    ]);
    expect(checkable).toBe(true);
    const again = await test.done({ columns: ['ordinal', 'price'], format: exports.FileFormat.CSV, compression: exports.Compression.NONE });
    const text = await test.file(other.jobId, `trades_${SYMBOL}_20260110.csv`);
    expect(text.toString().split('\n').slice(0, 3)).toEqual(['ordinal,price', '1,60000.5', '2,60001.5']);
    expect((await test.file(again.jobId, `trades_${SYMBOL}_20260110.csv`)).equals(text)).toBe(true);
  });

  it('data received after the order is in none of its files', async () => {
    const { recordedMs } = test.upstreams;
    test.upstreams.recordedMs = DAY_1_MS + 3 * HOUR_MS;
    const job = await test.done({ toMs: DAY_1_MS + DAY_MS });
    test.upstreams.recordedMs = recordedMs;
    // The trade at exactly three hours was received 20 ms later.
    expect(job).toMatchObject({ rowTotal: 180, spec: { asOfMs: DAY_1_MS + 3 * HOUR_MS, toMs: DAY_1_MS + 3 * HOUR_MS + 1 } });
  });

  it('every file is listed with its digest in SHA256SUMS and manifest.json, and the days are described', async () => {
    const job = await test.done({ format: exports.FileFormat.NDJSON, compression: exports.Compression.GZIP });
    const { files } = await test.call.getResult({ tenantId: TENANT, jobId: job.jobId });
    const contents = new Map<string, Buffer>();
    for (const { name } of files) contents.set(name, await test.file(job.jobId, name));
    for (const { name, sha256, bytes } of files) {
      const content = contents.get(name) ?? Buffer.alloc(0);
      expect([createHash('sha256').update(content).digest('hex'), content.length]).toEqual([sha256, bytes]);
    }
    const text = (name: string): string => (contents.get(name) ?? Buffer.alloc(0)).toString();
    const sums = text('SHA256SUMS')
      .trim()
      .split('\n')
      .map((line) => line.split('  '));
    expect(sums.map(([, name]) => name).sort()).toEqual([...contents.keys()].filter((name) => name !== 'SHA256SUMS').sort());
    expect(sums.every(([sha256, name]) => files.some((file) => file.name === name && file.sha256 === sha256))).toBe(true);
    const manifest = JSON.parse(text('manifest.json'));
    expect(manifest).toMatchObject({ job_id: job.jobId, row_total: 1_560, checkable: true, unchecked_rows: 0 });
    expect(manifest.files.reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0)).toBe(1_560);
    expect(JSON.parse(text('condition.json')).days).toMatchObject([
      { date: '2026-01-10', condition: 'available', rows: 1_440 },
      { date: '2026-01-11', condition: 'pending', rows: 120 },
    ]);
    expect(
      gunzipSync(contents.get(`trades_${SYMBOL}_20260111.ndjson.gz`) ?? Buffer.alloc(0))
        .toString()
        .split('\n'),
    ).toHaveLength(121);
    expect(text('README.md')).toContain('1560 rows in 2 files');
    expect(text('load.sql')).toContain('CREATE OR REPLACE VIEW trades');
  });

  it('the review pack has the plan, late rows by hour and the charge', async () => {
    const job = await test.done();
    const { reviewPack } = await test.call.getReviewPack({ tenantId: TENANT, jobId: job.jobId });
    const pack = JSON.parse(Buffer.from(reviewPack).toString());
    expect(pack.credit_receipt).toEqual({
      receipt_id: job.receiptId,
      operation_id: job.operationId,
      quote_id: null,
      estimated_export_credit_cost: 2,
      observed_export_credit_cost: 2,
    });
    const hours = pack.plan.parts.flatMap((part: { source_hours: [string, number, string | null][] }) => part.source_hours);
    expect(hours).toHaveLength(26);
    expect(hours.filter(([, , sha256]: [string, number, string | null]) => sha256 === null)).toHaveLength(2);
    const late = test.market.hours.flatMap((hour) => hour.trades).filter(({ flags }) => flags === 2).length;
    expect(pack.flagged_rows.reduce((sum: number, { late: total }: { late: number }) => sum + total, 0)).toBe(late);
    expect(pack.asked).toMatchObject({ dataset: 'trades', symbols: [SYMBOL], format: null });
  });

  it('a range of a file returns these bytes, and one outside is refused', async () => {
    const job = await test.done();
    const name = `trades_${SYMBOL}_20260110.parquet`;
    const whole = await test.file(job.jobId, name);
    expect((await test.file(job.jobId, name, 100, 1_000)).equals(whole.subarray(100, 1_000))).toBe(true);
    expect((await test.file(job.jobId, name, whole.length - 1, whole.length)).length).toBe(1);
    await expect(test.file(job.jobId, name, 0, whole.length + 1)).rejects.toMatchObject({ reason: 'range_not_satisfiable' });
    await expect(test.file(job.jobId, name, whole.length)).rejects.toMatchObject({ reason: 'range_not_satisfiable' });
  });
}
