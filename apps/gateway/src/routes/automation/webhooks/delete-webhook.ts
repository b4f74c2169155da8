import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { showWebhook } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

export function deleteWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'deleteWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { endpoint } = await fromWebhooks(endpoints.call.deleteEndpoint({ tenantId, endpointId: call.input.path.webhook_id }));
    return accountAnswer(call, showWebhook(endpoint), 'The webhook endpoint is deleted; this is its record as it was.');
  };
}
