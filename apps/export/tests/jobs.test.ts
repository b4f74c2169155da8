import { appendFile } from 'node:fs/promises';
import { exports } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { expectOneJob } from './equal-orders';
import { type ExportUnderTest, startExportUnderTest, TENANT } from './export-under-test';
import { DAY_1_MS, DAY_MS, HOUR_MS, SYMBOL } from './trades-market';

const { JobStatus } = exports;

let test: ExportUnderTest;

beforeAll(async () => {
  test = await startExportUnderTest();
});

afterAll(() => test?.close());

async function total(table: 'export_job' | 'export_part' | 'reservation' | 'outbox', where = 'true'): Promise<number> {
  const { rows } = await test.pool.query<{ total: number }>(`SELECT count(*)::int AS total FROM ${table} WHERE ${where}`);
  return rows[0]?.total ?? 0;
}

it('eight equal orders at once are one job, one reservation and one charge', () => expectOneJob(test, 8));

it('an order that may cost more than allowed, or than there is, leaves nothing', async () => {
  const before = await total('export_job');
  const { credits } = test.upstreams;
  expect(await test.order({}, { exportCreditsMax: 1 })).toMatchObject({ job: undefined, aboveBound: true, exportCredits: 2 });
  const { available } = credits;
  credits.available = 1;
  expect(await test.order()).toMatchObject({ job: undefined, refusal: { available: 1 }, exportCredits: 2 });
  credits.available = available;
  expect([(await total('export_job')) - before, await total('reservation'), credits.reserved.size]).toEqual([0, 0, 0]);
});

it('rows are counted for orders that the credits cover, and for two of a tenant at a time', async () => {
  const { credits } = test.upstreams;
  let counts = 0;
  let go = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  test.upstreams.beforeCount = async () => {
    counts += 1;
    await gone;
  };
  const { available } = credits;
  credits.available = 1;
  expect(await test.order()).toMatchObject({ job: undefined, refusal: { available: 1 } });
  expect(counts).toBe(0);
  credits.available = available;
  const span = { fromMs: DAY_1_MS + DAY_MS };
  const orders = [test.order(span), test.order(span), test.order(span)];
  const caller = { tenantId: 'ten_two', keyId: 'key_two', accountId: '' };
  const other = test.order(span, { caller });
  await waitUntil('rows are counted for both tenants', () => counts >= 3);
  expect(counts).toBe(3);
  go();
  const jobs = await Promise.all(orders);
  expect((await other).job).toBeDefined();
  expect(counts).toBe(4);
  test.upstreams.beforeCount = async () => undefined;
  for (const { job } of jobs) await test.ended(job?.jobId ?? '');
});

it('a plan names rows, files and credits, and is never below what the job costs', async () => {
  const { job } = await test.order();
  const requested = { tenantId: TENANT, planId: 'public_pro', spec: { ...job?.spec, asOfMs: 0 } as exports.ExportSpec };
  const planned = await test.call.planExport(requested);
  expect(planned).toMatchObject({ rowTotal: 1_560, partTotal: 2, exportCredits: 2 });
  // Half of an archived hour: the hour is counted whole.
  const half = await test.call.planExport({ ...requested, spec: { ...requested.spec, fromMs: DAY_1_MS, toMs: DAY_1_MS + HOUR_MS / 2 } });
  expect(half.rowTotal).toBe(60);
  const made = await test.done({ toMs: DAY_1_MS + HOUR_MS / 2 });
  expect([made.rowTotal, made.estimatedExportCredits]).toEqual([30, 2]);
});

it.each([exports.FileFormat.PARQUET, exports.FileFormat.CSV, exports.FileFormat.NDJSON])(
  'before the first file of a kind (%s), the planned bytes of several files are within a tenth of what is delivered',
  async (format) => {
    const { job } = await test.order({ fromMs: DAY_1_MS + HOUR_MS / 2, format });
    const spec = { ...job?.spec, asOfMs: 0 } as exports.ExportSpec;
    const { byteTotal } = await test.call.planExport({ tenantId: TENANT, planId: 'public_pro', spec });
    const made = await test.ended(job?.jobId ?? '');
    for (const estimated of [byteTotal, job?.byteTotal ?? 0])
      expect(Math.abs(estimated - made.byteTotal)).toBeLessThanOrEqual(made.byteTotal / 10);
  },
);

it('planned bytes follow an earlier file of a similar length, but not one with other columns', async () => {
  const { spec } = await test.done({ toMs: DAY_1_MS + HOUR_MS });
  const planned = async (columns: readonly string[]): Promise<number> => {
    const narrow = { ...spec, compression: exports.Compression.GZIP, columns, asOfMs: 0 } as exports.ExportSpec;
    return (await test.call.planExport({ tenantId: TENANT, planId: 'public_pro', spec: narrow })).byteTotal;
  };
  const before = await planned(['price']);
  const made = await test.done({ ...spec, compression: exports.Compression.GZIP, columns: [], asOfMs: 0 });
  expect(await planned([])).toBe(made.byteTotal);
  expect(await planned(['price'])).toBe(before);
});

it('names every fault of a request at once', async () => {
  const spec = { symbols: ['x'], depth: 5, intervalMs: 7, columns: ['price', 'side'], fromMs: DAY_1_MS, toMs: DAY_1_MS + 32 * DAY_MS };
  const fault = test.order({ ...spec, format: exports.FileFormat.CSV, compression: exports.Compression.SNAPPY });
  await expect(fault).rejects.toMatchObject({ reason: 'invalid_argument' });
  const fields = await fault.then(
    () => [],
    (error: { readonly faults: readonly { readonly field: string }[] }) => error.faults.map(({ field }) => field),
  );
  expect(fields).toEqual(['spec.symbols[0]', 'spec.compression', 'spec.interval_ms', 'spec.depth', 'spec.columns', 'spec.to_ms']);
  await expect(test.order({ symbols: ['DOGEUSD-PERP'] })).rejects.toMatchObject({ reason: 'unknown_symbol' });
});

it('refuses a span that lies wholly in the future, in orders and plans; one that ends there ends with what is recorded', async () => {
  const { job } = await test.order({ fromMs: 0, toMs: 0 });
  const spec = job?.spec as exports.ExportSpec;
  const { asOfMs } = spec;
  const recorded = { fromMs: asOfMs - DAY_MS + 1, toMs: asOfMs + 1, asOfMs };
  expect(spec).toMatchObject(recorded);
  const refused = { reason: 'invalid_argument', faults: [{ field: 'spec.from_ms', type: 'in_the_future' }] };
  const bound = new Date(asOfMs).toISOString();
  for (const future of [
    { fromMs: asOfMs + 1, toMs: 0 },
    { fromMs: asOfMs + 5 * DAY_MS, toMs: asOfMs + 6 * DAY_MS },
  ]) {
    const requested = { tenantId: TENANT, planId: 'public_pro', spec: { ...spec, asOfMs: 0, ...future } };
    await expect(test.order(future)).rejects.toMatchObject(refused);
    await expect(test.call.planExport(requested)).rejects.toMatchObject({
      faults: [{ message: `must not be after ${bound}, the end of recorded data` }],
    });
  }
  expect((await test.order({ fromMs: asOfMs, toMs: asOfMs + DAY_MS })).job?.spec).toMatchObject({ ...recorded, fromMs: asOfMs });
  expect((await test.order({ fromMs: 0, toMs: asOfMs + 5 * DAY_MS })).job?.spec).toMatchObject(recorded);
});

it('shows another tenant nothing of a job, in any method', async () => {
  const { jobId } = await test.done({ toMs: DAY_1_MS + HOUR_MS });
  const mine = { tenantId: TENANT, jobId };
  const other = { tenantId: 'ten_other', jobId };
  const name = `trades_${SYMBOL}_20260110.parquet`;
  const { call } = test;
  const drain = async (stream: AsyncIterable<unknown>): Promise<void> => {
    for await (const message of stream) void message;
  };
  const methods = [
    (who: typeof mine) => call.getJob(who),
    (who: typeof mine) => call.cancelJob(who),
    (who: typeof mine) => call.getResult(who),
    (who: typeof mine) => call.getReviewPack(who),
    (who: typeof mine) => call.getFile({ ...who, name }),
    (who: typeof mine) => drain(call.readFile({ ...who, name, fromByte: 0, toByte: 0 })),
  ];
  for (const method of methods) {
    await method(mine);
    await expect(method(other)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_job' });
  }
  expect((await call.listJobs({ tenantId: 'ten_other', statuses: [], pageSize: 10, pageToken: '' })).jobs).toEqual([]);
  await expect(call.getFile({ ...mine, name: '../secrets' })).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_file' });
});

it('lists jobs newest first, page by page, by state', async () => {
  const first = await test.call.listJobs({ tenantId: TENANT, statuses: [JobStatus.READY], pageSize: 2, pageToken: '' });
  const second = await test.call.listJobs({ tenantId: TENANT, statuses: [JobStatus.READY], pageSize: 2, pageToken: first.nextPageToken });
  const created = [...first.jobs, ...second.jobs].map(({ createdMs }) => createdMs);
  expect(created).toEqual([...created].sort((one, other) => other - one));
  expect(new Set([...first.jobs, ...second.jobs].map(({ jobId }) => jobId)).size).toBe(created.length);
  const otherwise = test.call.listJobs({ tenantId: TENANT, statuses: [], pageSize: 2, pageToken: first.nextPageToken });
  await expect(otherwise).rejects.toMatchObject({ reason: 'invalid_argument' });
});

it('a job that is cancelled while its rows are read costs nothing and frees its worker', async () => {
  let isRequested = false;
  let go = (): void => undefined;
  test.upstreams.beforeRows = () => {
    isRequested = true;
    return new Promise((resolve) => (go = resolve));
  };
  const { job } = await test.order({ fromMs: DAY_1_MS + DAY_MS });
  const jobId = job?.jobId ?? '';
  await waitUntil('rows are asked for', () => isRequested);
  await expect(test.call.getResult({ tenantId: TENANT, jobId })).rejects.toMatchObject({ reason: 'job_not_ready' });
  const cancelled = await test.call.cancelJob({ tenantId: TENANT, jobId });
  expect(cancelled.job?.status).toBe(JobStatus.CANCELLED);
  test.upstreams.beforeRows = async () => undefined;
  // The worker is free: another job finishes while the first waits for its rows.
  expect((await test.done({ toMs: DAY_1_MS + HOUR_MS })).status).toBe(JobStatus.READY);
  go();
  expect(test.upstreams.credits.reserved.has(job?.operationId ?? '')).toBe(false);
  expect(test.upstreams.credits.charged.has(job?.operationId ?? '')).toBe(false);
  await expect(test.call.getResult({ tenantId: TENANT, jobId })).rejects.toMatchObject({ reason: 'job_cancelled' });
  expect((await test.call.cancelJob({ tenantId: TENANT, jobId })).job).toEqual(cancelled.job);
});

it('an archived hour that is damaged or gone ends the job by name and releases its credits', async () => {
  const [first, second] = test.market.hours;
  if (first?.file === undefined || second?.file === undefined) throw new Error('the hours are archived');
  await appendFile(await test.market.store.get(second.file.key), 'x');
  const damaged = await test.done({ fromMs: second.hourMs, toMs: second.hourMs + HOUR_MS });
  expect(damaged).toMatchObject({ status: JobStatus.FAILED, error: { reason: 'source_damaged' } });
  expect(damaged.error?.message).toContain(new Date(second.hourMs).toISOString());
  await test.market.store.delete(first.file.key);
  const gone = await test.done({ fromMs: first.hourMs, toMs: first.hourMs + HOUR_MS });
  expect(gone).toMatchObject({ status: JobStatus.FAILED, error: { reason: 'source_gone' } });
  const { rows } = await test.pool.query('SELECT payload FROM outbox WHERE occasion = $1', [`export.finished ${gone.jobId}`]);
  const error = { reason: 'source_gone', message: gone.error?.message };
  expect(rows).toMatchObject([{ payload: { status: 'failed', row_total: null, credit_state: 'released', error } }]);
  await waitUntil('credits are released', () => test.upstreams.credits.reserved.size === 0);
  await expect(test.call.getResult({ tenantId: TENANT, jobId: gone.jobId })).rejects.toMatchObject({
    reason: 'job_failed',
    metadata: { error_reason: 'source_gone' },
  });
});

it('refuses the twenty-first job that waits, and reserves nothing for it', async () => {
  await test.stopWorker();
  const spec = { fromMs: DAY_1_MS + DAY_MS };
  const jobs: string[] = [];
  for (let count = 0; count < 20; count += 1) jobs.push((await test.order(spec)).job?.jobId ?? '');
  const { size } = test.upstreams.credits.reserved;
  test.upstreams.beforeCount = () => Promise.reject(new Error('rows were counted for an order that is refused'));
  await expect(test.order(spec)).rejects.toMatchObject({ reason: 'too_many_jobs', metadata: { retry_after_s: '15' } });
  test.upstreams.beforeCount = async () => undefined;
  expect(test.upstreams.credits.reserved.size).toBe(size);
  for (const jobId of jobs) await test.call.cancelJob({ tenantId: TENANT, jobId });
  expect(test.upstreams.credits.reserved.size).toBe(0);
  await test.startWorker();
});

it('files are deleted after seven days; the record says so', async () => {
  const { jobId } = await test.done({ fromMs: DAY_1_MS + DAY_MS });
  const { rows } = await test.pool.query<{ object_key: string }>('SELECT object_key FROM export_file WHERE job_id = $1', [jobId]);
  await test.stopWorker();
  test.advance(7 * DAY_MS + 1);
  await test.startWorker();
  await waitUntil(
    'the job is expired',
    async () => (await test.call.getJob({ tenantId: TENANT, jobId })).job?.status === JobStatus.EXPIRED,
  );
  await expect(test.call.getResult({ tenantId: TENANT, jobId })).rejects.toMatchObject({ reason: 'job_expired' });
  await expect(test.file(jobId, `trades_${SYMBOL}_20260111.parquet`)).rejects.toMatchObject({ reason: 'job_expired' });
  const isThere = async ({ object_key: key }: { object_key: string }): Promise<boolean> => (await test.store.stat(key)) !== undefined;
  await waitUntil('its objects are gone', async () => !(await Promise.all(rows.map(isThere))).includes(true));
});
