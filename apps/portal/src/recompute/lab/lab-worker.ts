import { startWorker } from '../own-script';
import type { LabAnswer, LabRequest } from './messages';

export interface LabWorker {
  /** Responses come in request order. Rejects if the worker could not be loaded, has failed or is closed. */
  ask(request: LabRequest): Promise<LabAnswer>;
  close(): void;
}

interface Requested {
  readonly resolve: (answer: LabAnswer) => void;
  readonly reject: (error: Error) => void;
}

export function openLabWorker(): LabWorker {
  const worker = startWorker('lab');
  const pending: Requested[] = [];
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    worker.terminate();
    for (const { reject } of pending.splice(0)) reject(ended);
  };
  worker.addEventListener('error', ({ message }) => end(new Error(message === '' ? 'The worker could not be loaded.' : message)));
  worker.addEventListener('message', ({ data }: MessageEvent<LabAnswer>) => pending.shift()?.resolve(data));
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (ended !== null) return reject(ended);
        pending.push({ resolve, reject });
        worker.postMessage(request, request.type === 'open' ? [request.bundle] : []);
      }),
    close: () => end(new Error('The lab was closed.')),
  };
}
