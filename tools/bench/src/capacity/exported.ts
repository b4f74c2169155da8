import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import type { Measured } from './figures';
import { cpuOfProcess } from './processes';

const JOBS = '/api/public/data/export/jobs';
const HOUR_MS = 3_600_000;
const ANSWER_MS_MAX = 30_000;
const READY_MS_MAX = 300_000;
const LOOK_MS = 500;

interface Job {
  readonly job_id?: string;
  readonly status?: string;
}

interface Result {
  readonly files: readonly { readonly rows: number | null; readonly bytes: number }[];
}

/** An export of the books of an archived hour, as a customer orders it. @throws Error when it does not become ready */
export async function measureExport(system: System, symbols: readonly string[], hourMs: number): Promise<Pick<Measured, 'exported'>> {
  const key = await system.demoKey();
  const ask = async <T>(path: string, options: RequestInit = {}): Promise<T> => {
    const headers = { 'x-market-state-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(system.url + path, { ...options, headers, signal: timeLimit(ANSWER_MS_MAX) });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const [from, to] = [hourMs, hourMs + HOUR_MS].map((ms) => new Date(ms).toISOString());
  const order = { dataset: 'book', symbols, format: 'parquet', from, to };
  const cpuBefore = cpuOfProcess(system, 'export-worker');
  const { job_id: jobId } = await ask<Job>(JOBS, { method: 'POST', body: JSON.stringify(order) });
  const startMs = performance.now();
  for (let status: string | undefined; status !== 'ready'; await delay(LOOK_MS)) {
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
