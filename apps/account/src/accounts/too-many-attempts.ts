import { resourceExhausted, type ServiceError } from '@market-state/errors';

/** RESOURCE_EXHAUSTED that says when to come again, in whole seconds, at least 1. */
export function tooManyAttempts(retryAfterMs: number, reason: 'too_many_attempts' | 'too_many_sandbox_keys' = 'too_many_attempts'): ServiceError {
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const sentence =
    reason === 'too_many_attempts'
      ? `There were too many attempts. Try again in ${retryAfterS} s.`
      : `This address has had its sandbox keys for now. Another can be had in ${retryAfterS} s.`;
  return resourceExhausted(reason, sentence, { metadata: { retry_after_s: String(retryAfterS) } });
}
