import { waitUntil } from '@market-state/testing';
import type { Example } from './example-file';
import type { Step } from './step';

/** The one answer that is asked for before a system is ready. */
export const unreadyStep: Step = { operation: 'getReadyz', status: 503, summary: 'A system that has just been started.' };

/** What `/readyz` of a system that has just been started answers. */
export async function unreadyExample({ url }: { readonly url: string }): Promise<Example> {
  const value = await waitUntil('an answer that it is not ready', async () => {
    const response = await fetch(`${url}/readyz`);
    return response.status === 503 && ((await response.json()) as object);
  });
  return { summary: unreadyStep.summary, left: [], value, type: 'application/json' };
}
