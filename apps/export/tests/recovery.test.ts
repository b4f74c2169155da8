import { writeFile } from 'node:fs/promises';
import { exports } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { sweepObjects } from '../src/run-maintenance';
import { advance, noteReservation } from '../src/store/jobs';
import { beat, type ClaimedPart, claimPart, commitPart } from '../src/store/parts';
import { claimPublication } from '../src/store/publications';
import { oldestQueuedSeconds, takeBackParts } from '../src/store/maintenance';
import { type ExportUnderTest, startExportUnderTest, TENANT } from './export-under-test';
import { DAY_1_MS, DAY_MS, SYMBOL } from './trades-market';

const { JobStatus } = exports;
const SILENT_MS = 60_000;

let test: ExportUnderTest;

beforeAll(async () => {
  test = await startExportUnderTest();
});

afterAll(() => test?.close());

const lastDay = { fromMs: DAY_1_MS + DAY_MS };

async function orderedWithoutWorker(): Promise<string> {
  await test.stopWorker();
  const { job } = await test.order(lastDay);
  return job?.jobId ?? '';
}

/** Claims a part as a worker does; undefined if it is unavailable. */
async function claim(worker: string, jobId: string, number = 1): Promise<ClaimedPart | undefined> {
  const claimed = await claimPart(test.pool, { jobId, number }, { worker, nowMs: Date.now(), silentMs: SILENT_MS });
  return claimed === undefined || claimed === 'given_up' || 'againInMs' in claimed ? undefined : claimed;
}

const file = (name: string, key: string) => ({
  name,
  contentType: 'text/csv',
  bytes: 1,
  sha256: '0'.repeat(64),
  objectKey: key,
  facts: { rows: 120, firstMs: null, lastMs: null, uncheckedRows: 0, flagged: [] },
});

it('a worker that was taken for dead commits nothing, and the part is made by another', async () => {
  const jobId = await orderedWithoutWorker();
  const late = await claim('worker_late', jobId);
  if (late === undefined) throw new Error('a part is due');
  expect(await beat(test.pool, late, Date.now())).toBe(true);
  expect(await takeBackParts(test.pool, Date.now() - 60_000)).toBe(0);
  expect(await takeBackParts(test.pool, Date.now() + 1)).toBe(1);
  expect(await beat(test.pool, late, Date.now())).toBe(false);
  expect(await commitPart(test.pool, late, file(late.name, 'exports/late'))).toBe('fenced');
  await test.startWorker();
  const job = await test.ended(jobId);
  expect([job.status, job.partsMade, job.rowTotal]).toEqual([JobStatus.READY, 1, 120]);
  const { rows } = await test.pool.query('SELECT object_key FROM export_file WHERE job_id = $1 AND part > 0', [jobId]);
  expect(rows).toEqual([{ object_key: `exports/${jobId}/2-trades_${SYMBOL}_20260111.parquet` }]);
});

it('a part that ten workers were lost on fails its job, so that it stops no more of them', async () => {
  const jobId = await orderedWithoutWorker();
  for (let lost = 1; lost <= 10; lost += 1) {
    expect((await claim(`worker_${lost}`, jobId))?.attempt).toBe(lost);
    await takeBackParts(test.pool, Date.now() + 1);
  }
  await test.startWorker();
  const job = await test.ended(jobId);
  expect(job.status).toBe(JobStatus.FAILED);
  expect(job.error).toMatchObject({ message: expect.stringMatching(/Workers stopped again and again while making one of its files\.$/) });
});

it('a part is claimed by one worker only, and a tenant has two under way at most', async () => {
  await test.stopWorker();
  const jobs = [await test.order(), await test.order()].map(({ job }) => job?.jobId ?? '');
  const keys = jobs.flatMap((jobId) => [1, 2, 1].map((number) => ({ jobId, number })));
  const claims = await Promise.all(keys.map(({ jobId, number }, index) => claim(`worker_${index}`, jobId, number)));
  const claimed = claims.flatMap((part) => (part === undefined ? [] : [`${part.job.jobId} ${part.number}`]));
  expect([claimed.length, new Set(claimed).size]).toEqual([2, 2]);
  await takeBackParts(test.pool, Date.now() + 1);
  await test.startWorker();
  for (const jobId of jobs) expect((await test.ended(jobId)).status).toBe(JobStatus.READY);
});

it('what a tenant may not have yet is claimed later, and what is made or cancelled never', async () => {
  await test.stopWorker();
  const jobs = [await test.order(), await test.order(lastDay)].map(({ job }) => job?.jobId ?? '');
  const [first = '', second = ''] = jobs;
  const claimAt = (jobId: string, number: number, nowMs = Date.now()) =>
    claimPart(test.pool, { jobId, number }, { worker: 'worker_x', nowMs, silentMs: SILENT_MS });
  await claim('worker_x', first, 1);
  const claimed = await claim('worker_x', first, 2);
  expect(await claimAt(second, 1)).toEqual({ againInMs: 5_000 });
  const held = await claimAt(first, 1);
  expect(held).toEqual({ againInMs: expect.any(Number) });
  expect(typeof held === 'object' && 'againInMs' in held ? held.againInMs : 0).toBeGreaterThan(SILENT_MS - 10_000);
  expect(await claimAt(first, 1, Date.now() + SILENT_MS + 1_000)).toMatchObject({ number: 1, attempt: 2 });
  if (claimed === undefined) throw new Error('a part is due');
  await commitPart(test.pool, claimed, file(claimed.name, 'exports/x'));
  expect(await claimAt(first, 2)).toBeUndefined();
  await test.call.cancelJob({ tenantId: TENANT, jobId: first });
  expect(await claimAt(first, 1)).toBeUndefined();
  await test.startWorker();
  expect((await test.ended(second)).status).toBe(JobStatus.READY);
});

it('of a tenant, only the parts that it may begin next are queued', async () => {
  await test.stopWorker();
  await test.flushQueue();
  const jobs: string[] = [];
  for (let count = 0; count < 6; count += 1) jobs.push((await test.order()).job?.jobId ?? '');
  expect((await test.queueKeys()).length).toBeLessThanOrEqual(3);
  await test.startWorker();
  for (const jobId of jobs) expect((await test.ended(jobId)).status).toBe(JobStatus.READY);
});

it('a job that is cancelled leaves nothing in the queue', async () => {
  await test.stopWorker();
  await test.flushQueue();
  const jobs = [await test.order(), await test.order()].map(({ job }) => job?.jobId ?? '');
  const queued = async (): Promise<string[]> => (await test.queueKeys()).filter((key) => jobs.some((jobId) => key.includes(jobId)));
  expect(await queued()).toHaveLength(3);
  for (const jobId of jobs) await test.call.cancelJob({ tenantId: TENANT, jobId });
  expect(await queued()).toEqual([]);
  await test.startWorker();
});

it('the oldest job that waits for a worker is measured, and one that waits for another job of its tenant is not', async () => {
  const first = await orderedWithoutWorker();
  const inAMinuteMs = Date.now() + 60_000;
  const waitedS = await oldestQueuedSeconds(test.pool, inAMinuteMs);
  expect(waitedS).toBeGreaterThan(59);
  expect(waitedS).toBeLessThan(120);
  expect((await claim('worker_gone', first))?.job.jobId).toBe(first);
  const second = (await test.order(lastDay)).job?.jobId ?? '';
  expect(await oldestQueuedSeconds(test.pool, inAMinuteMs)).toBe(0);
  await takeBackParts(test.pool, Date.now() + 1);
  await test.startWorker();
  for (const jobId of [first, second]) expect((await test.ended(jobId)).status).toBe(JobStatus.READY);
});

it('account away while a job is charged: it is not ready, and is charged once when account is back', async () => {
  const { credits } = test.upstreams;
  const jobId = await orderedWithoutWorker();
  credits.isAway = true;
  await test.startWorker();
  await waitUntil(
    'the job is publishing',
    async () => (await test.call.getJob({ tenantId: TENANT, jobId })).job?.status === JobStatus.PUBLISHING,
  );
  await expect(test.call.getResult({ tenantId: TENANT, jobId })).rejects.toMatchObject({ reason: 'job_not_ready' });
  const { job } = await test.call.cancelJob({ tenantId: TENANT, jobId });
  expect(job?.status).toBe(JobStatus.PUBLISHING);
  for (const reason of ['took_too_long', 'storage_full'] as const)
    expect(await advance(test.pool, jobId, { to: 'failed', nowMs: Date.now(), reason })).toBeUndefined();
  credits.isAway = false;
  const ready = await test.ended(jobId);
  expect(ready.status).toBe(JobStatus.READY);
  expect(credits.charged.get(ready.operationId)).toBe(2);
  expect(credits.reserved.size).toBe(0);
});

it('one try at a time publishes, and a try that was silent for a minute is taken over', async () => {
  const jobId = await orderedWithoutWorker();
  const part = await claim('worker_x', jobId);
  if (part === undefined) throw new Error('a part is due');
  expect(await commitPart(test.pool, part, file(part.name, `exports/${jobId}/1-x`))).toBe('all_made');
  const nowMs = Date.now();
  expect((await claimPublication(test.pool, jobId, nowMs, nowMs - SILENT_MS))?.fence).toBe(1);
  expect(await claimPublication(test.pool, jobId, nowMs + 59_000, nowMs + 59_000 - SILENT_MS)).toBeUndefined();
  expect((await claimPublication(test.pool, jobId, nowMs + 61_000, nowMs + 61_000 - SILENT_MS))?.fence).toBe(2);
  await test.call.cancelJob({ tenantId: TENANT, jobId });
  await test.startWorker();
});

it('credits of an order whose process was killed go back within a minute', async () => {
  await test.stopWorker();
  const { credits } = test.upstreams;
  credits.reserved.set('op_killed', 7);
  credits.available -= 7;
  await noteReservation(test.pool, 'op_killed', Date.now() - 46_000);
  await test.startWorker();
  await waitUntil('the credits are back', () => !credits.reserved.has('op_killed'));
});

it('an equal order that comes to account after the job was charged is answered with that job', async () => {
  const { credits } = test.upstreams;
  const order = () => test.order(lastDay, { operationId: 'op_late' });
  let first: string | undefined;
  credits.beforeReserve = async () => {
    credits.beforeReserve = async () => undefined;
    first = (await order()).job?.jobId ?? '';
    await test.ended(first);
  };
  const { job } = await order();
  expect(job?.jobId).toBe(first);
  expect([job?.status, credits.charged.get('op_late')]).toEqual([JobStatus.READY, 2]);
  const { rows } = await test.pool.query(`SELECT 1 FROM reservation WHERE operation_id = 'op_late'`);
  expect(rows).toEqual([]);
});

it('a note left by an equal order takes no credits from the existing job', async () => {
  const { credits } = test.upstreams;
  await test.stopWorker();
  const jobId = (await test.order(lastDay, { operationId: 'op_noted' })).job?.jobId ?? '';
  await noteReservation(test.pool, 'op_noted', Date.now() - 46_000);
  const noted = async () => (await test.pool.query(`SELECT 1 FROM reservation WHERE operation_id = 'op_noted'`)).rowCount;
  expect(await noted()).toBe(1);
  await test.startWorker();
  expect((await test.ended(jobId)).status).toBe(JobStatus.READY);
  await waitUntil('the note is ended', async () => (await noted()) === 0);
  expect(credits.charged.get('op_noted')).toBe(2);
});

it('a flushed queue only delays: maintenance wakes workers again', async () => {
  const jobId = await orderedWithoutWorker();
  await test.flushQueue();
  await test.startWorker();
  expect((await test.ended(jobId)).status).toBe(JobStatus.READY);
});

it('a failed attempt is repeated up to the fifth, even if the queue is lost in the meantime', async () => {
  const jobId = await orderedWithoutWorker();
  let calls = 0;
  test.upstreams.beforeRows = async () => {
    calls += 1;
    if (calls === 1) throw new Error('the data plane is away');
  };
  await test.startWorker();
  expect((await test.ended(jobId)).status).toBe(JobStatus.READY);
  const { rows } = await test.pool.query('SELECT attempt, failures FROM export_part WHERE job_id = $1', [jobId]);
  expect(rows).toEqual([{ attempt: 2, failures: 1 }]);
  const failing = await orderedWithoutWorker();
  await test.pool.query('UPDATE export_part SET failures = 4 WHERE job_id = $1', [failing]);
  await test.flushQueue();
  calls = 0;
  await test.startWorker();
  const job = await test.ended(failing);
  expect([job.status, job.error?.reason, calls]).toEqual([JobStatus.FAILED, 'internal', 1]);
  test.upstreams.beforeRows = async () => undefined;
});

it('objects that no job has are removed once they are old, and no other', async () => {
  const { jobId } = await test.done(lastDay);
  const scratch = await test.store.scratch();
  await writeFile(`${scratch}/x`, 'left behind');
  await test.store.put(`exports/${jobId}/9-left`, `${scratch}/x`);
  expect(await sweepObjects(test, Date.now() - 60_000)).toBe(0);
  expect(await sweepObjects(test, Date.now() + 60_000)).toBeGreaterThan(0);
  expect(await test.store.stat(`exports/${jobId}/9-left`)).toBeUndefined();
  expect((await test.file(jobId, `trades_${SYMBOL}_20260111.parquet`)).length).toBeGreaterThan(100);
});
