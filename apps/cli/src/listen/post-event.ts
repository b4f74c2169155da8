import { timeLimit } from '@market-state/lifecycle';
import { signWebhook } from '@market-state/webhook-signing';

/** Same timeout as a real delivery. */
const POST_MS_MAX = 15_000;

/** Returns the status, or the error if there was no response. */
export async function postEvent(
  target: string,
  secret: string,
  event: { readonly id: string },
  signal: AbortSignal,
): Promise<number | Error> {
  const body = JSON.stringify(event);
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = { 'content-type': 'application/json', ...signWebhook({ id: event.id, timestampSeconds, body }, [secret]) };
  try {
    const options = { method: 'POST', headers, body, redirect: 'manual' as const };
    const answer = await fetch(target, { ...options, signal: AbortSignal.any([signal, timeLimit(POST_MS_MAX)]) });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause : new Error(message);
  }
}
