import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { toUtc } from '../../../serving/meta/instant';
import { internal } from '@market-state/errors';
import { readBody, showAttempt, showDelivery } from './show-message';
import { kindOf } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

export function getWebhookEvent({ messages }: Pick<WebhooksDeps, 'messages'>): Handler<'getWebhookEvent'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const found = await fromWebhooks(messages.call.getMessage({ tenantId, messageId: call.input.path.message_id }));
    const { message } = found;
    if (message === undefined) throw internal({ detail: 'the webhook service told no message' });
    const fields = {
      message_id: message.messageId,
      event_kind: kindOf(message.eventKind),
      created_at_utc: toUtc(message.createdMs),
      body: message.body.length === 0 ? null : readBody(message),
      deliveries: found.deliveries.map(showDelivery),
      attempts: found.attempts.map(showAttempt),
    };
    return accountAnswer(call, fields, 'The message, and what became of it.');
  };
}
