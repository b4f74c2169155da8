import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { showWebhook } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

export function listWebhooks({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'listWebhooks'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const { tenantId } = grantOf(call);
    const page = await fromWebhooks(endpoints.call.listEndpoints({ tenantId, pageSize: limit, pageToken: cursor }), 'query');
    const fields = {
      webhooks: page.endpoints.map(showWebhook),
      row_total: page.endpoints.length,
      next_cursor: page.nextPageToken === '' ? null : page.nextPageToken,
    };
    return accountAnswer(call, fields, 'Webhook endpoints of this tenant, newest first.');
  };
}
