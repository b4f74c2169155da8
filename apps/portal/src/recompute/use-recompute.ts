import { useCallback, useEffect, useRef, useState } from 'react';
import type { RecomputeRequest, RecomputeMessage } from './messages';
import { startWorker } from './own-script';

export type RecomputeAnswer = Exclude<RecomputeMessage, { readonly type: 'progress' }>;
type RecomputeProgress = Extract<RecomputeMessage, { readonly type: 'progress' }>;

/**
 * Runs in a worker that ends with the answer or the signal. Rejects if aborted, or if the worker cannot be loaded or
 * fails; a failed verification is an answer.
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

export type RecomputeState =
  | { readonly phase: 'idle' }
  /** `progress` is null while the bundle is loading. */
  | { readonly phase: 'running'; readonly progress: RecomputeProgress | null }
  /** `tookMs` excludes loading the bundle. */
  | { readonly phase: 'answered'; readonly answer: RecomputeAnswer; readonly tookMs: number }
  | { readonly phase: 'failed'; readonly error: unknown };

export type LoadRequest = (signal: AbortSignal) => Promise<Omit<RecomputeRequest, 'tamper'>>;

const IDLE: RecomputeState = { phase: 'idle' };

/**
 * Checks a bundle any number of times, loading it once. `start` takes the trade to move, counted back from the end of
 * the packet's window. Starting another check or unmounting stops a running one.
 */
export function useRecompute(load: LoadRequest) {
  const [state, setState] = useState(IDLE);
  const loaded = useRef<Omit<RecomputeRequest, 'tamper'> | null>(null);
  const running = useRef<AbortController | null>(null);

  const stop = useCallback(() => {
    running.current?.abort();
    running.current = null;
    setState(IDLE);
  }, []);

  const start = useCallback(
    async (trade: number | null): Promise<void> => {
      running.current?.abort();
      const leaving = new AbortController();
      running.current = leaving;
      const { signal } = leaving;
      const show = (next: RecomputeState): void => {
        if (!signal.aborted) setState(next);
      };
      show({ phase: 'running', progress: null });
      try {
        const request = (loaded.current ??= await load(signal));
        const startMs = performance.now();
        const answer = await recompute(
          // The worker takes over its buffer; the original stays for the next check.
          { ...request, bundle: request.bundle.slice(0), ...(trade === null ? {} : { tamper: { trade } }) },
          { signal, onProgress: (progress) => show({ phase: 'running', progress }) },
        );
        show({ phase: 'answered', answer, tookMs: performance.now() - startMs });
      } catch (error) {
        show({ phase: 'failed', error });
      }
    },
    [load],
  );

  useEffect(() => () => running.current?.abort(), []);
  return { state, start, stop };
}
