import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { SECRET_SHOWN_ONCE } from './create-webhook';
import { showWebhook } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

const GRACE_HOURS = 24;

export function rotateWebhookSecret({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'rotateWebhookSecret'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const graceHours = call.input.body?.grace_hours ?? GRACE_HOURS;
    const { endpoint, secret } = await fromWebhooks(
      endpoints.call.rotateSecret({ tenantId, endpointId: call.input.path.webhook_id, graceHours }),
    );
    return accountAnswer(call, { ...showWebhook(endpoint), secret }, SECRET_SHOWN_ONCE);
  };
}
