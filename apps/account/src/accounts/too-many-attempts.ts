import { resourceExhausted, type ServiceError } from '@market-state/errors';

/** What was tried too often, with the sentence about it; it takes how long to wait. */
const SENTENCES = {
  too_many_attempts: (wait: string) => `There were too many attempts. Try again in ${wait}.`,
  too_many_sandbox_keys: (wait: string) => `This address has had its sandbox keys for now. Another can be had in ${wait}.`,
  too_many_trials: (wait: string) => `No more trials can be opened from this address, or at all, just now. Try again in ${wait}.`,
} as const;

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** RESOURCE_EXHAUSTED that says when to come again, in whole seconds, at least 1. */
export function tooManyAttempts(retryAfterMs: number, reason: keyof typeof SENTENCES = 'too_many_attempts'): ServiceError {
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return resourceExhausted(reason, SENTENCES[reason](spanText(retryAfterS)), { metadata: { retry_after_s: String(retryAfterS) } });
}

/** A span as people say it: never shorter than it is. */
function spanText(seconds: number): string {
  if (seconds <= 2 * MINUTE_S) return `${seconds} s`;
  if (seconds <= 2 * HOUR_S) return `${Math.ceil(seconds / MINUTE_S)} min`;
  return `${Math.ceil(seconds / HOUR_S)} h`;
}
