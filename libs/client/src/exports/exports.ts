import { pause } from '../call/deadline';
import { ExportsOperations } from '../generated/groups';
import type { Schemas } from '../types';
import { downloadFile } from './download-file';

/** A job, or its id. */
type JobLike = string | { readonly job_id: string } | { readonly data: { readonly job_id: string } };

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Gets the job each time it was asked for. */
  readonly onProgress?: (job: Schemas['ExportJob']) => void;
}

/** A file that was written and whose digest is right. */
export interface DownloadedFile {
  readonly path: string;
  readonly file: Schemas['ExportFile'];
}

const POLL_MS_MIN = 250;
const POLL_MS_MAX = 5_000;
const UNDER_WAY: ReadonlySet<string> = new Set(['queued', 'running', 'publishing']);

/** Export jobs, with what it takes to have their files. */
export class Exports extends ExportsOperations {
  /** Waits until a job is over, `ready` or not. Asking costs nothing. */
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
   * Waits for a job and writes its files to a folder, which is made. A file that is there with the right digest is kept, one that was
   * begun is continued, and each gets its name once its SHA-256 is right. Node only; elsewhere read files with `file`.
   * @throws ConflictError when the job failed, VerificationError when a file has another digest
   */
  async download(job: JobLike, folder: string, options: WaitOptions = {}): Promise<DownloadedFile[]> {
    const { signal } = options;
    const { job_id } = await this.wait(job, options);
    const { data } = await this.result({ job_id }, { signal });
    const written: DownloadedFile[] = [];
    for (const file of data.files) written.push({ path: await downloadFile(this, job_id, file, folder, signal), file });
    return written;
  }
}

function idOf(job: JobLike): string {
  if (typeof job === 'string') return job;
  return 'job_id' in job ? job.job_id : job.data.job_id;
}
