import { timeLimit, waitFor } from '@market-state/lifecycle';

const answerTimeoutMs = 2_000;

/** Whether the page at `url` answers 200 now. */
async function answersOk(url: string, signal?: AbortSignal): Promise<boolean> {
  const limit = timeLimit(answerTimeoutMs);
  try {
    const response = await fetch(url, { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Resolves once the page at `url` answers 200. @throws the signal's reason when it aborts first */
export async function waitForOk(url: string, signal: AbortSignal): Promise<void> {
  const probe = async (): Promise<void> => {
    if (!(await answersOk(url, signal))) throw new Error(`${url} does not answer 200.`);
  };
  await waitFor(url, probe, { signal, minDelayMs: 20, maxDelayMs: 100 });
}
