import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { showWebhook } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

export function enableWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'enableWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { endpoint } = await fromWebhooks(endpoints.call.enableEndpoint({ tenantId, endpointId: call.input.path.webhook_id }));
    const record = showWebhook(endpoint);
    const sentence =
      record.status === 'live' ? 'The webhook endpoint is live.' : 'The webhook endpoint waits for a test, which makes it live.';
    return accountAnswer(call, record, sentence);
  };
}
