import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { showWebhook } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

export function updateWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'updateWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { url, description, event_kinds: eventKinds = [], symbols, disabled } = call.input.body;
    const { endpoint } = await fromWebhooks(
      endpoints.call.updateEndpoint({
        tenantId,
        endpointId: call.input.path.webhook_id,
        url,
        description,
        eventKinds: [...eventKinds],
        symbols: symbols === undefined ? undefined : { symbols: [...symbols] },
        disabled,
      }),
    );
    return accountAnswer(call, showWebhook(endpoint), 'The webhook endpoint as it is now.');
  };
}
