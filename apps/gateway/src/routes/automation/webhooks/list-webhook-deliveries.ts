import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { parseInstant } from '../../../serving/meta/instant';
import { showAttempt } from './show-message';
import type { WebhooksDeps } from './webhooks-deps';

export function listWebhookDeliveries({ messages }: Pick<WebhooksDeps, 'messages'>): Handler<'listWebhookDeliveries'> {
  return async (call) => {
    const { webhook_id: endpointId, outcome, from, to, limit, cursor } = call.input.query;
    const { tenantId } = grantOf(call);
    const span = { fromMs: parseInstant(from) ?? 0, toMs: parseInstant(to) ?? 0 };
    const page = await fromWebhooks(
      messages.call.listAttempts({ tenantId, endpointId, messageId: '', outcome, ...span, pageSize: limit, pageToken: cursor }),
      'query',
    );
    const fields = {
      attempts: page.attempts.map(showAttempt),
      row_total: page.attempts.length,
      next_cursor: page.nextPageToken === '' ? null : page.nextPageToken,
    };
    return accountAnswer(call, fields, 'Attempts to deliver, newest first.');
  };
}
