import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Schemas } from '@market-state/client';
import { EXIT, type ExitCode } from '../cli-error';
import { isPassing } from '../client/open-service';
import type { Session } from '../client/run-client';
import type { CliIo } from '../io/cli-io';
import { count, counted } from '../io/instant';
import { withOutput } from '../io/line-output';
import { createProgress, type Progress } from '../io/progress';
import { createRowWriter } from '../output/row-writer';
import { formatOf } from '../output/settings';
import type { JobSettings } from './settings';
import { showJob } from './show-job';

const COLUMNS = ['name', 'kind', 'bytes', 'rows', 'sha256', 'path'];

/** Waits for a job, with its progress on stderr. */
export async function waitForJob(
  { ms }: Pick<Session, 'ms'>,
  jobId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Schemas['ExportJob']> {
  const job = await ms.exports.wait(jobId, {
    signal,
    onProgress: ({ status, parts_made: made, part_total: total }) =>
      progress.tell(() => `${jobId}: ${status}, ${count(made)} of ${counted(total, 'file')}`),
  });
  progress.end();
  return job;
}

/** Tries in a row, and the time between them: a service that restarts is back within it. */
const TRIES = 15;
const AGAIN_MS = 2_000;

/** Does what can be continued again while the service is away. */
async function goingOn<T>(work: () => Promise<T>, { say }: Session, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || tries >= TRIES) throw error;
      say(`the connection is lost; the download goes on in ${AGAIN_MS / 1_000} s`);
      await wait(AGAIN_MS, undefined, { signal });
    }
  }
}

/** Waits for a job and writes its files: several at once, each continued where it was broken off, each with its SHA-256 checked. */
export async function fetchFiles(session: Session, settings: JobSettings, io: CliIo): Promise<ExitCode> {
  const { jobId, out, parallel } = settings;
  const { ms, say } = session;
  const progress = createProgress(io);
  try {
    const job = await waitForJob(session, jobId, progress, io.signal);
    if (job.status !== 'ready') return await showJob(job, settings, io);
    const had = new Map<string, number>();
    const folder = resolve(io.cwd, out);
    const options = {
      signal: io.signal,
      parallel,
      onBytes(file: Schemas['ExportFile'], sizeBytes: number) {
        had.set(file.name, sizeBytes);
        progress.tell(() => `${jobId}: ${count([...had.values()].reduce((sum, bytes) => sum + bytes, 0))} bytes`);
      },
    };
    const files = await goingOn(() => ms.exports.download(jobId, folder, options), session, io.signal);
    progress.end();
    await withOutput(io, undefined, async (output) => {
      const { fields } = settings;
      const form = { format: formatOf(settings, io.stdout), columns: fields ?? COLUMNS, areChosen: true, isLive: false };
      const writer = createRowWriter(output, form);
      for (const { file, path } of files)
        await writer.write({ ...file, rows: form.format === 'table' ? (file.rows ?? 'none') : file.rows, path });
      await writer.end();
    });
    const bytes = files.reduce((sum, { file }) => sum + file.bytes, 0);
    say(`${counted(files.length, 'file')}, ${count(bytes)} bytes, every SHA-256 right, in ${folder}`);
    say(`charged: ${counted(job.observed_export_credit_cost ?? 0, 'export credit')}, receipt ${job.receipt_id ?? 'none'}`);
    return EXIT.done;
  } finally {
    progress.end();
  }
}
