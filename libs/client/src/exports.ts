import { pause } from './call/deadline';
import { ExportsOperations } from './generated/groups';
import type { Schemas } from './types';

export type JobLike = string | { readonly job_id: string } | { readonly data: { readonly job_id: string } };

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Called after each poll. */
  readonly onProgress?: (job: Schemas['ExportJob']) => void;
}

export interface DownloadOptions extends WaitOptions {
  /** Parallel downloads, 1 to 8; 1 by default. */
  readonly parallel?: number;
  /** Bytes so far: called after each chunk, and once for data of an earlier attempt. */
  readonly onBytes?: (file: Schemas['ExportFile'], sizeBytes: number) => void;
}

/** Downloaded file with a verified digest. */
export interface DownloadedFile {
  readonly path: string;
  readonly file: Schemas['ExportFile'];
}

const POLL_MS_MIN = 250;
const POLL_MS_MAX = 5_000;
const UNDER_WAY: ReadonlySet<string> = new Set(['queued', 'running', 'publishing']);

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
   * Waits for a job and downloads its files to a folder, which is created if missing. Keeps files with the right digest
   * and resumes partial ones; a file gets its final name once its SHA-256 is verified. Node only; elsewhere use `file`.
   * @throws ConflictError if the job failed, VerificationError if a digest is wrong
   */
  async download(job: JobLike, folder: string, options: DownloadOptions = {}): Promise<DownloadedFile[]> {
    const { downloadFiles } = await import('./download-file');
    return downloadFiles(this, job, folder, options);
  }
}

function idOf(job: JobLike): string {
  if (typeof job === 'string') return job;
  return 'job_id' in job ? job.job_id : job.data.job_id;
}
