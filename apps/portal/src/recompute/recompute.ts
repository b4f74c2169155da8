import type { RecomputeMessage, RecomputeRequest } from './messages';
import { startWorker } from './own-script';

/** What a recomputation ends with. */
export type RecomputeAnswer = Exclude<RecomputeMessage, { readonly type: 'progress' }>;
export type RecomputeProgress = Extract<RecomputeMessage, { readonly type: 'progress' }>;

/**
 * Recomputes a bundle in a worker of its own, which ends with the answer or the signal. Rejects when the signal says so, or the worker
 * cannot be loaded or fails; a bundle that does not hold is an answer.
 */
export function recompute(
  request: RecomputeRequest,
  { onProgress, signal }: { readonly onProgress?: (progress: RecomputeProgress) => void; readonly signal?: AbortSignal } = {},
): Promise<RecomputeAnswer> {
  signal?.throwIfAborted();
  const worker = startWorker('recompute');
  return new Promise<RecomputeAnswer>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    worker.addEventListener('error', (event) =>
      reject(new Error(event.message === '' ? 'The worker could not be loaded.' : event.message)),
    );
    worker.addEventListener('message', ({ data }: MessageEvent<RecomputeMessage>) => {
      if (data.type === 'progress') onProgress?.(data);
      else resolve(data);
    });
    worker.postMessage(request, [request.bundle]);
  }).finally(() => worker.terminate());
}
