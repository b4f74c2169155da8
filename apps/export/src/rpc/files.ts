import { ObjectNotFoundError, StoreError } from '@market-state/archive';
import type { exports } from '@market-state/contracts';
import { notFound, ServiceError, unavailable } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { findFile, type StoredFile } from '../store/files';
import type { RpcDeps } from './deps';
import { requireReadyJob } from './jobs';
import { toProtoFile } from './wire';

/** @throws ServiceError like `requireReadyJob`, and NOT_FOUND `unknown_file` */
async function requireFile(
  deps: Pick<RpcDeps, 'pool'>,
  { tenantId, jobId, name }: Pick<exports.GetFileRequest, 'tenantId' | 'jobId' | 'name'>,
): Promise<StoredFile> {
  const job = await requireReadyJob(deps, tenantId, jobId);
  const file = await findFile(deps.pool, job, name);
  if (file === undefined) throw notFound('unknown_file', 'The export has no such file.');
  return file;
}

export async function getFile(deps: RpcDeps, request: exports.GetFileRequest): Promise<exports.GetFileResponse> {
  return { file: toProtoFile(await requireFile(deps, request)) };
}

const MESSAGE_BYTES = 256 * 1_024;

/** Streams at the pace of the caller. */
export async function* readFile(
  deps: RpcDeps,
  request: exports.ReadFileRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<exports.ReadFileResponse> {
  const file = await requireFile(deps, request);
  const { fromByte } = request;
  const toByte = request.toByte === 0 ? file.bytes : request.toByte;
  if (toByte > file.bytes || fromByte > toByte || (fromByte === toByte && file.bytes > 0)) throw outside(file.bytes);
  const leave = deps.downloads.enter(request.tenantId);
  try {
    if (fromByte === toByte) return;
    const bytes = await deps.store.openRange(file.objectKey, fromByte, toByte).catch(asUnavailable);
    const stop = (): void => void bytes.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of bytes as AsyncIterable<Buffer>)
        for (let at = 0; at < chunk.length; at += MESSAGE_BYTES) {
          const data = chunk.subarray(at, at + MESSAGE_BYTES);
          yield { data };
          deps.countBytes(data.length);
        }
    } catch (error) {
      if (!signal.aborted) asUnavailable(error);
    } finally {
      signal.removeEventListener('abort', stop);
      bytes.destroy();
    }
  } finally {
    leave();
  }
}

function outside(bytes: number): ServiceError {
  return new ServiceError({
    code: 'OUT_OF_RANGE',
    reason: 'range_not_satisfiable',
    sentence: `The file has ${bytes} bytes; the requested range is outside of it.`,
    metadata: { bytes: String(bytes) },
  });
}

/** Files of a ready job exist, so a read failure is a fault of the store. */
function asUnavailable(error: unknown): never {
  if (error instanceof StoreError || error instanceof ObjectNotFoundError)
    throw unavailable('upstream_unavailable', 'The file storage cannot be read at the moment. Try again later.', { cause: error });
  throw error;
}
