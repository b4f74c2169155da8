import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { newOperationId } from '../../../serving/metering/meter';
import { showWebhook } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

/** Said where a secret is in the answer, and where it can be no more. */
export const SECRET_SHOWN_ONCE = 'This is the only time that the signing secret is shown.';
const SECRET_LOST = 'The endpoint was registered by an earlier try of this call, whose answer had the secret: rotate it for a new one.';

export function createWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'createWebhook'> {
  return async (call) => {
    const { tenantId, plan } = grantOf(call);
    const { url, event_kinds: eventKinds, symbols = [], description = '' } = call.input.body;
    const { endpoint, secret } = await fromWebhooks(
      endpoints.call.createEndpoint({
        tenantId,
        planId: plan.planId,
        operationId: call.ownTry?.operationId ?? newOperationId(),
        url,
        description,
        eventKinds: [...eventKinds],
        symbols: [...symbols],
      }),
    );
    const record = showWebhook(endpoint);
    return {
      ...accountAnswer(call, { ...record, secret: secret === '' ? null : secret }, secret === '' ? SECRET_LOST : SECRET_SHOWN_ONCE),
      headers: { Location: record.routes.webhook },
    };
  };
}
