import { openTarget } from '#files';
import { pause } from './call/deadline';
import { waitMs } from './call/retry';
import { ProblemError, TransportError, VerificationError } from './errors';
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
 * Downloads one file of a job, resuming an earlier attempt, and returns its path.
 * @throws VerificationError if its SHA-256 is wrong; the data is deleted
 */
export async function downloadFile(
  exports: ExportsOperations,
  { jobId, file, folder, onBytes }: FileOrder,
  signal: AbortSignal,
): Promise<string> {
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
