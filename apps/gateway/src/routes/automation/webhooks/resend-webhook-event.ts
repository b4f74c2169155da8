import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { showDelivery } from './show-message';
import type { WebhooksDeps } from './webhooks-deps';

export function resendWebhookEvent({ messages }: Pick<WebhooksDeps, 'messages'>): Handler<'resendWebhookEvent'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { message_id: messageId } = call.input.path;
    const { delivery } = await fromWebhooks(messages.call.resendMessage({ tenantId, messageId, endpointId: call.input.body.webhook_id }));
    return accountAnswer(call, { message_id: messageId, delivery: showDelivery(delivery) }, 'The message is on its way again.');
  };
}
