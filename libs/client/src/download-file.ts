import { openTarget } from '#files';
import { pause } from './call/deadline';
import { waitMs } from './call/retry';
import { ProblemError, TransportError, VerificationError } from './errors';
import type { DownloadedFile, DownloadOptions, Exports, JobLike } from './exports';
import type { ExportsOperations } from './generated/groups';
import type { Params, Schemas } from './types';

/** Consecutive responses without progress after which a download fails. */
const FAILURES_MAX = 5;

interface FileOrder {
  readonly jobId: string;
  readonly file: Schemas['ExportFile'];
  readonly folder: string;
  readonly onBytes: (sizeBytes: number) => void;
}

/**
 * Resumes an earlier attempt.
 * @throws VerificationError if its SHA-256 is wrong; the data is deleted
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
        // A proxy may have dropped the range header; the response is then the whole file.
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
        if (failures >= FAILURES_MAX) throw new TransportError(`${file.name} could not be downloaded completely.`, '', failures, error);
        await pause(waitMs(failures + 1, Math.random), signal);
      }
    }
    const digest = await target.digest();
    if (digest === file.sha256) return await target.finish();
    await target.clear();
    throw new VerificationError('sha256_mismatch', `${file.name} has SHA-256 ${digest}, expected ${file.sha256}.`);
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

const PARALLEL_MAX = 8;

/** {@link Exports.download} */
export async function downloadFiles(exports: Exports, job: JobLike, folder: string, options: DownloadOptions): Promise<DownloadedFile[]> {
  const { signal, parallel = 1, onBytes = () => undefined } = options;
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > PARALLEL_MAX)
    throw new RangeError(`parallel must be a whole number from 1 to ${PARALLEL_MAX}`);
  const { job_id } = await exports.wait(job, options);
  const { data } = await exports.result({ job_id }, { signal });
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
          written[at] = { path: await downloadFile(exports, target, failed.signal), file };
        }
      }).map((work) => work.catch((error: unknown) => Promise.reject(firstFailure(failed, error)))),
    );
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return written;
}

/** Cancels the parallel downloads; errors they raise because of that are ignored. */
function firstFailure(failed: AbortController, error: unknown): unknown {
  if (!failed.signal.aborted) failed.abort(error);
  return failed.signal.reason;
}
