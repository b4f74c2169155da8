import type { webhook as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { fromWebhooks } from '../../clients/from-webhooks';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { parseInstant, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import { type WebhooksDeps, kindOf, showWebhook } from './webhooks';
import { type Described, documentedWord } from '../../serving/openapi/document';

const deliveryStatusOf = documentedWord('WebhookDelivery', 'status');

function showAttempt(attempt: contract.Attempt): Described<'WebhookAttempt'> {
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
    reason: attempt.reason === '' ? null : attempt.reason,
    next_attempt_at_utc: toUtcOrNull(attempt.nextAttemptMs),
    test_target: attempt.testTarget,
  };
}

function showDelivery(delivery: contract.Delivery | undefined): Described<'WebhookDelivery'> {
  if (delivery === undefined) throw internal({ detail: 'the webhook service returned no delivery' });
  return {
    delivery_id: delivery.deliveryId,
    webhook_id: delivery.endpointId,
    status: deliveryStatusOf(delivery.status),
    attempts: delivery.attempts,
    next_attempt_at_utc: toUtcOrNull(delivery.nextAttemptMs),
    market_state_credits: delivery.marketStateCredits,
  };
}

function readBody({ body }: contract.Message): Described<'WebhookMessage'> {
  const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
  if (typeof value !== 'object' || value === null) throw internal({ detail: 'the body of a message is not an object' });
  return value as Described<'WebhookMessage'>;
}

/** Sends a test through the normal delivery path. */
export function testWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'testWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const sent = await fromWebhooks(call, endpoints.call.testEndpoint({ tenantId, endpointId: call.input.path.webhook_id }));
    const attempt = sent.attempt === undefined ? null : showAttempt(sent.attempt);
    const succeeded = attempt?.outcome === 'ok';
    const fields = { webhook: showWebhook(sent.endpoint), message_id: sent.messageId, succeeded, attempt };
    return accountAnswer(call, fields, sentenceOf(fields.webhook, succeeded, attempt));
  };
}

function sentenceOf(
  { kind, status }: Described<'WebhookRecord'>,
  succeeded: boolean,
  attempt: Pick<Described<'WebhookAttempt'>, 'outcome' | 'reason'> | null,
): string {
  if (succeeded && kind === 'email' && status !== 'live')
    return 'A code was mailed. Confirm it within 30 minutes to make the endpoint live.';
  if (succeeded)
    return kind === 'webhook' ? 'The endpoint returned a 2xx and is live.' : 'The test was accepted, and the endpoint is live.';
  if (attempt === null) return 'Test queued. Its result will appear in the deliveries.';
  const why = attempt.reason === null ? '' : ` ${attempt.reason.replace(/\.?$/, '.')}`;
  return `The first attempt of the test failed (${attempt.outcome}).${why} The endpoint's status is unchanged.`;
}

/** A waiting call counts as a stream and returns immediately on shutdown. */
export function listWebhookEvents({ messages, messageWaits, streams }: WebhooksDeps): Handler<'listWebhookEvents'> {
  return async (call) => {
    const { kinds, wait_seconds: waitSeconds, limit, cursor, start } = call.input.query;
    const grant = grantOf(call);
    const request = {
      tenantId: grant.tenantId,
      eventKinds: kinds === '' ? [] : kinds.split(','),
      pageSize: limit,
      pageToken: cursor,
      waitMs: 0,
      ...(start === 'now' ? { fromNewest: true } : {}),
    };
    const page = await fromWebhooks(
      call,
      waitSeconds === 0
        ? messages.call.listMessages(request)
        : streams.open.wait(call, (signal) =>
            messageWaits.call.listMessages({ ...request, waitMs: waitSeconds * 1_000 }, { signal }).catch((error: unknown) => {
              if (signal.aborted) return messages.call.listMessages(request);
              throw error;
            }),
          ),
    );
    const fields = { events: page.messages.map(readBody), row_total: page.messages.length, next_cursor: page.nextPageToken };
    return accountAnswer(call, fields, 'Messages of this tenant, oldest first.');
  };
}

export function getWebhookEvent({ messages }: Pick<WebhooksDeps, 'messages'>): Handler<'getWebhookEvent'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const found = await fromWebhooks(call, messages.call.getMessage({ tenantId, messageId: call.input.path.message_id }));
    const { message } = found;
    if (message === undefined) throw internal({ detail: 'the webhook service returned no message' });
    const fields = {
      message_id: message.messageId,
      event_kind: kindOf(message.eventKind),
      created_at_utc: toUtc(message.createdMs),
      body: message.body.length === 0 ? null : readBody(message),
      deliveries: found.deliveries.map(showDelivery),
      attempts: found.attempts.map(showAttempt),
    };
    return accountAnswer(call, fields, 'The message and its delivery status.');
  };
}

export function resendWebhookEvent({ messages }: Pick<WebhooksDeps, 'messages'>): Handler<'resendWebhookEvent'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { message_id: messageId } = call.input.path;
    const { delivery } = await fromWebhooks(
      call,
      messages.call.resendMessage({ tenantId, messageId, endpointId: call.input.body.webhook_id }),
    );
    return accountAnswer(call, { message_id: messageId, delivery: showDelivery(delivery) }, 'Message queued for redelivery.');
  };
}

export function listWebhookDeliveries({ messages }: Pick<WebhooksDeps, 'messages'>): Handler<'listWebhookDeliveries'> {
  return async (call) => {
    const { webhook_id: endpointId, outcome, from, to, limit, cursor } = call.input.query;
    const { tenantId } = grantOf(call);
    const span = { fromMs: parseInstant(from) ?? 0, toMs: parseInstant(to) ?? 0 };
    const page = await fromWebhooks(
      call,
      messages.call.listAttempts({ tenantId, endpointId, messageId: '', outcome, ...span, pageSize: limit, pageToken: cursor }),
    );
    const fields = {
      attempts: page.attempts.map(showAttempt),
      row_total: page.attempts.length,
      next_cursor: page.nextPageToken === '' ? null : page.nextPageToken,
    };
    return accountAnswer(call, fields, 'Delivery attempts, newest first.');
  };
}
