import type { webhook as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { toUtc, toUtcOrNull } from '../../../serving/meta/instant';
import { type Described, documentedWord } from '../../../serving/openapi/described';
import { kindOf } from './show-webhook';

const deliveryStatusOf = documentedWord('WebhookDelivery', 'status');

export function showAttempt(attempt: contract.Attempt): Described<'WebhookAttempt'> {
  return {
    attempt_id: attempt.attemptId,
    message_id: attempt.messageId,
    webhook_id: attempt.endpointId,
    event_kind: kindOf(attempt.eventKind),
    number: attempt.number,
    started_at_utc: toUtc(attempt.startedMs),
    duration_ms: attempt.durationMs,
    status_code: attempt.status === 0 ? null : attempt.status,
    outcome: attempt.outcome,
    snippet: attempt.snippet,
    next_attempt_at_utc: toUtcOrNull(attempt.nextAttemptMs),
    test_target: attempt.testTarget,
  };
}

export function showDelivery(delivery: contract.Delivery | undefined): Described<'WebhookDelivery'> {
  if (delivery === undefined) throw internal({ detail: 'the webhook service told no delivery' });
  return {
    delivery_id: delivery.deliveryId,
    webhook_id: delivery.endpointId,
    status: deliveryStatusOf(delivery.status),
    attempts: delivery.attempts,
    next_attempt_at_utc: toUtcOrNull(delivery.nextAttemptMs),
    market_state_credits: delivery.marketStateCredits,
  };
}

/** The body of a message as it is sent. */
export function readBody({ body }: contract.Message): Described<'WebhookMessage'> {
  const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
  if (typeof value !== 'object' || value === null) throw internal({ detail: 'the body of a message is no object' });
  return value as Described<'WebhookMessage'>;
}
