import type { RecomputeMessage, RecomputeRequest } from './messages';
import workerUrl from './worker?worker&url';

/** What a recomputation ends with. */
export type RecomputeAnswer = Exclude<RecomputeMessage, { readonly type: 'progress' }>;
export type RecomputeProgress = Extract<RecomputeMessage, { readonly type: 'progress' }>;

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

let trusted: { createScriptURL(url: string): string } | undefined;

/**
 * Recomputes a bundle in a worker of its own, which ends with the answer or the signal. Rejects when the signal says so, or the worker
 * cannot be loaded or fails; a bundle that does not hold is an answer.
 */
export function recompute(
  request: RecomputeRequest,
  { onProgress, signal }: { readonly onProgress?: (progress: RecomputeProgress) => void; readonly signal?: AbortSignal } = {},
): Promise<RecomputeAnswer> {
  signal?.throwIfAborted();
  const worker = new Worker(ownScript(workerUrl), { type: 'module', name: 'recompute' });
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

/** The worker's address, and no other, in the form in which pages with Trusted Types take a script. */
function ownScript(url: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return url;
  trusted ??= trustedTypes.createPolicy('portal-worker', {
    createScriptURL: (asked) => {
      if (asked !== workerUrl) throw new TypeError('not a script of this page');
      return asked;
    },
  });
  return trusted.createScriptURL(url);
}
