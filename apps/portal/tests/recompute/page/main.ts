import { openLabWorker } from '../../../src/recompute/lab/lab-worker';
import type { RecomputeRequest } from '../../../src/recompute/messages';
import { recompute } from '../../../src/recompute/use-recompute';
import { sampleRequest } from '../../../src/recompute/sample';

/** Longest time between two turns of the page's event loop while `work` runs. */
async function longestPauseDuring<T>(work: Promise<T>): Promise<{ readonly result: T; readonly longestPauseMs: number }> {
  let longestPauseMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    longestPauseMs = Math.max(longestPauseMs, nowMs - lastMs);
    lastMs = nowMs;
  }, 4);
  try {
    return { result: await work, longestPauseMs };
  } finally {
    clearInterval(timer);
  }
}

async function checkBundleAt(path: string, request: Omit<RecomputeRequest, 'bundle'>): Promise<unknown> {
  return check({ ...request, bundle: await (await fetch(path)).arrayBuffer() });
}

async function checkSample(changes: Pick<RecomputeRequest, 'tamper'>): Promise<unknown> {
  return check({ ...(await sampleRequest()), ...changes });
}

async function check(request: RecomputeRequest): Promise<unknown> {
  let progressTotal = 0;
  const startMs = performance.now();
  const work = recompute(request, { onProgress: () => (progressTotal += 1) });
  const { result: answer, longestPauseMs } = await longestPauseDuring(work);
  return { answer, tookMs: performance.now() - startMs, progressTotal, longestPauseMs };
}

async function labelBundleAt(
  path: string,
  policyFiles: object,
  editsInTurn: readonly Readonly<Record<string, string>>[],
): Promise<unknown> {
  const lab = openLabWorker();
  try {
    const bundle = await (await fetch(path)).arrayBuffer();
    const startMs = performance.now();
    const opened = await lab.ask({ type: 'open', bundle, policyFiles });
    const openedMs = performance.now() - startMs;
    const answers: unknown[] = [];
    for (const edits of opened.type === 'opened' ? editsInTurn : []) {
      const requestedAtMs = performance.now();
      const { result: answer, longestPauseMs } = await longestPauseDuring(lab.ask({ type: 'relabel', edits }));
      answers.push({ answer, tookMs: performance.now() - requestedAtMs, longestPauseMs });
    }
    return { opened, openedMs, answers };
  } finally {
    lab.close();
  }
}

Object.assign(globalThis, { checkBundleAt, checkSample, labelBundleAt, recompute });
