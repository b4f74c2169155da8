import { openTarget } from '#files';
import { pause } from './call/deadline';
import { ExportsOperations } from './generated/groups';
import type { Schemas, Params } from './types';
import { waitMs } from './call/retry';
import { ProblemError, TransportError, VerificationError } from './errors';

/** Answers in a row that bring nothing, after which a file is given up. */
const FAILURES_MAX = 5;

/** Which file goes where. */
interface FileOrder {
  readonly jobId: string;
  readonly file: Schemas['ExportFile'];
  readonly folder: string;
  readonly onBytes: (sizeBytes: number) => void;
}

/**
 * Writes one file of a job, going on where an earlier try ended, and gives its path.
 * @throws VerificationError when its bytes are not those of its digest: they are removed
 */
async function downloadFile(exports: ExportsOperations, { jobId, file, folder, onBytes }: FileOrder, signal: AbortSignal): Promise<string> {
  const target = await openTarget(folder, file.name, file.sha256);
  onBytes(target.isComplete ? file.bytes : target.sizeBytes());
  if (target.isComplete) return target.path;
  const link = new URL(file.download_route, 'http://localhost').searchParams;
  const params = { job_id: jobId, name: file.name, ...Object.fromEntries(link) } as Params<'getExportFile'>;
  let failures = 0;
  try {
    while (target.sizeBytes() < file.bytes) {
      const before = target.sizeBytes();
      try {
        const headers: Record<string, string> = before === 0 ? {} : { range: `bytes=${before}-` };
        const { response } = await exports.file(params, { headers, signal });
        // Whoever is between may have dropped the range: then the whole file comes.
        if (response.status === 200 && before > 0) await target.clear();
        if (response.body !== null)
          await writeAll(response.body, async (chunk) => {
            await target.write(chunk);
            onBytes(target.sizeBytes());
          });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof ProblemError || error instanceof VerificationError) throw error;
        failures = target.sizeBytes() > before ? 0 : failures + 1;
        if (failures >= FAILURES_MAX) throw new TransportError(`${file.name} could not be read to its end.`, '', failures, error);
        await pause(waitMs(failures + 1, Math.random), signal);
      }
    }
    const digest = await target.digest();
    if (digest === file.sha256) return await target.finish();
    await target.clear();
    throw new VerificationError('sha256_mismatch', `${file.name} has the SHA-256 ${digest}, and must have ${file.sha256}.`);
  } finally {
    await target.close();
  }
}

async function writeAll(body: ReadableStream<Uint8Array>, write: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    await write(value);
  }
}

/** A job, or its id. */
type JobLike = string | { readonly job_id: string } | { readonly data: { readonly job_id: string } };

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Gets the job each time it was asked for. */
  readonly onProgress?: (job: Schemas['ExportJob']) => void;
}

export interface DownloadOptions extends WaitOptions {
  /** Files that are read at once, 1 to 8; one after the other by default. */
  readonly parallel?: number;
  /** Told of each piece that was written, and of what was there from an earlier try: bytes of the file so far. */
  readonly onBytes?: (file: Schemas['ExportFile'], sizeBytes: number) => void;
}

/** A file that was written and whose digest is right. */
export interface DownloadedFile {
  readonly path: string;
  readonly file: Schemas['ExportFile'];
}

const POLL_MS_MIN = 250;
const POLL_MS_MAX = 5_000;
const PARALLEL_MAX = 8;
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
  async download(job: JobLike, folder: string, options: DownloadOptions = {}): Promise<DownloadedFile[]> {
    const { signal, parallel = 1, onBytes = () => undefined } = options;
    if (!Number.isInteger(parallel) || parallel < 1 || parallel > PARALLEL_MAX)
      throw new RangeError(`parallel is a whole number from 1 to ${PARALLEL_MAX}`);
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

/** What stops the downloads beside it: their own failure is then no other. */
function firstFailure(failed: AbortController, error: unknown): unknown {
  if (!failed.signal.aborted) failed.abort(error);
  return failed.signal.reason;
}

function idOf(job: JobLike): string {
  if (typeof job === 'string') return job;
  return 'job_id' in job ? job.job_id : job.data.job_id;
}
