import { timeLimit, waitFor } from '@market-state/lifecycle';

const answerTimeoutMs = 2_000;

/** Returns true if the page at `url` answers 200 within `timeoutMs`. */
export async function answersOk(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, timeLimit(timeoutMs)]) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Resolves once the page at `url` answers 200. @throws the signal's reason when it aborts first */
export async function waitForOk(url: string, signal: AbortSignal): Promise<void> {
  const probe = async (): Promise<void> => {
    if (!(await answersOk(url, answerTimeoutMs, signal))) throw new Error(`${url} does not answer 200.`);
  };
  await waitFor(url, probe, { signal, minDelayMs: 20, maxDelayMs: 100 });
}
