import { answerTo } from './answer';
import type { RecomputeMessage, RecomputeRequest } from './messages';

/** Between two messages of progress, milliseconds. */
const PROGRESS_EVERY_MS = 100;

let toldMs = 0;

function tellProgress(message: RecomputeMessage): void {
  const nowMs = performance.now();
  if (nowMs - toldMs < PROGRESS_EVERY_MS) return;
  toldMs = nowMs;
  postMessage(message);
}

addEventListener('message', ({ data }: MessageEvent<RecomputeRequest>) => {
  // What is not expected goes to the page as the worker's error event.
  void answerTo(data, tellProgress).then(postMessage, reportError);
});
