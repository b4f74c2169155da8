import { isServiceError } from '@market-state/errors';
import { delay } from '@market-state/lifecycle';
import { oneOf, type Tenant } from '@market-state/testing';
import type { Exports } from './export-system';
import { mayPass } from './orders';

/** A job whose result is asked for again and again. */
export interface PolledJob {
  readonly customer: Tenant;
  readonly jobId: string;
}

/** What polls saw. */
export interface Polls {
  /** Ends them. */
  stop(): Promise<{ readonly total: number; readonly whole: number; readonly faults: readonly string[] }>;
}

/** Asks for the result of jobs at random, of those ordered so far, and looks whether it is ever a part of the whole. */
export function pollResults(calls: Exports, jobs: readonly PolledJob[], everyMs: number, random: () => number): Polls {
  const results = new Map<string, string>();
  const faults: string[] = [];
  let [total, whole, isOver] = [0, 0, false];

  async function poll({ customer: { tenantId }, jobId }: PolledJob): Promise<void> {
    try {
      const { job, files } = await calls.getResult({ tenantId, jobId });
      whole += 1;
      const seen = JSON.stringify(files);
      const data = files.filter(({ isData }) => isData);
      const rows = data.reduce((sum, file) => sum + file.rows, 0);
      const isWhole =
        data.length === job?.partTotal &&
        rows === job.rowTotal &&
        ['manifest.json', 'SHA256SUMS'].every((name) => files.some((file) => file.name === name));
      if (!isWhole)
        faults.push(`Job ${jobId} was served with ${data.length} files of ${job?.partTotal}, ${rows} rows of ${job?.rowTotal}.`);
      if ((results.get(jobId) ?? seen) !== seen) faults.push(`Job ${jobId} was served with other files than before.`);
      results.set(jobId, seen);
    } catch (error) {
      if (!isServiceError(error, 'job_not_ready') && !isServiceError(error, 'job_failed') && !mayPass(error))
        faults.push(`${jobId}: ${String(error)}`);
    }
    total += 1;
  }

  async function pollAll(): Promise<void> {
    while (!isOver) {
      const job = oneOf(jobs, random);
      if (job !== undefined) await poll(job);
      await delay(everyMs);
    }
  }

  const polling = pollAll();
  return {
    async stop() {
      isOver = true;
      await polling;
      return { total, whole, faults };
    },
  };
}
