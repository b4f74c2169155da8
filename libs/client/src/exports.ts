import { pause } from './call/deadline';
import { ExportsOperations } from './generated/groups';
import type { Schemas } from './types';

/** Job or job id. */
type JobLike = string | { readonly job_id: string } | { readonly data: { readonly job_id: string } };

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Called with the job after each poll. */
  readonly onProgress?: (job: Schemas['ExportJob']) => void;
}

export interface DownloadOptions extends WaitOptions {
  /** Parallel downloads, 1 to 8; 1 by default. */
  readonly parallel?: number;
  /** Called after each chunk, and once for data from an earlier attempt, with the bytes of the file so far. */
  readonly onBytes?: (file: Schemas['ExportFile'], sizeBytes: number) => void;
}

/** Downloaded file with a verified digest. */
export interface DownloadedFile {
  readonly path: string;
  readonly file: Schemas['ExportFile'];
}

const POLL_MS_MIN = 250;
const POLL_MS_MAX = 5_000;
const PARALLEL_MAX = 8;
const UNDER_WAY: ReadonlySet<string> = new Set(['queued', 'running', 'publishing']);

/** Export jobs and downloads. */
export class Exports extends ExportsOperations {
  /** Waits until a job ends, whether `ready` or not. Polling is free. */
  async wait(job: JobLike, { signal, onProgress }: WaitOptions = {}): Promise<Schemas['ExportJob']> {
    const jobId = idOf(job);
    for (let waitMs = POLL_MS_MIN; ; waitMs = Math.min(POLL_MS_MAX, waitMs * 1.5)) {
      const { data } = await this.get({ job_id: jobId }, { signal });
      onProgress?.(data);
      if (!UNDER_WAY.has(data.status)) return data;
      await pause(waitMs, signal);
    }
  }

  /**
   * Waits for a job and downloads its files to a folder, which is created if missing. Files with the right digest are
   * kept and partial ones resumed; a file gets its final name once its SHA-256 is verified. Node only; elsewhere read
   * files with `file`.
   * @throws ConflictError if the job failed, VerificationError if a digest is wrong
   */
  async download(job: JobLike, folder: string, options: DownloadOptions = {}): Promise<DownloadedFile[]> {
    const { signal, parallel = 1, onBytes = () => undefined } = options;
    if (!Number.isInteger(parallel) || parallel < 1 || parallel > PARALLEL_MAX)
      throw new RangeError(`parallel must be a whole number from 1 to ${PARALLEL_MAX}`);
    const { downloadFile } = await import('./download-file');
    const { job_id } = await this.wait(job, options);
    const { data } = await this.result({ job_id }, { signal });
    const written: DownloadedFile[] = [];
    const left = [...data.files.entries()];
    const failed = new AbortController();
    const stop = (): void => failed.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          for (let next = left.shift(); next !== undefined; next = left.shift()) {
            const [at, file] = next;
            const target = { jobId: job_id, file, folder, onBytes: (sizeBytes: number) => onBytes(file, sizeBytes) };
            written[at] = { path: await downloadFile(this, target, failed.signal), file };
          }
        }).map((work) => work.catch((error: unknown) => Promise.reject(firstFailure(failed, error)))),
      );
    } finally {
      signal?.removeEventListener('abort', stop);
    }
    return written;
  }
}

/** Cancels the parallel downloads; errors they raise because of that are ignored. */
function firstFailure(failed: AbortController, error: unknown): unknown {
  if (!failed.signal.aborted) failed.abort(error);
  return failed.signal.reason;
}

function idOf(job: JobLike): string {
  if (typeof job === 'string') return job;
  return 'job_id' in job ? job.job_id : job.data.job_id;
}
