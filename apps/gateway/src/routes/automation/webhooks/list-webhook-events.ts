import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { readBody } from './show-message';
import type { WebhooksDeps } from './webhooks-deps';

/** Messages in the order of the tenant. A call that waits counts as a stream; when the gateway stops it is answered at once. */
export function listWebhookEvents({ messages, messageWaits, streams }: WebhooksDeps): Handler<'listWebhookEvents'> {
  return async (call) => {
    const { kinds, wait_seconds: waitSeconds, limit, cursor } = call.input.query;
    const grant = grantOf(call);
    const asked = {
      tenantId: grant.tenantId,
      eventKinds: kinds === '' ? [] : kinds.split(','),
      pageSize: limit,
      pageToken: cursor,
      waitMs: 0,
    };
    const page = await fromWebhooks(
      waitSeconds === 0
        ? messages.call.listMessages(asked)
        : streams.open.wait(grant, (signal) =>
            messageWaits.call.listMessages({ ...asked, waitMs: waitSeconds * 1_000 }, { signal }).catch((error: unknown) => {
              if (signal.aborted) return messages.call.listMessages(asked);
              throw error;
            }),
          ),
      'query',
    );
    const fields = { events: page.messages.map(readBody), row_total: page.messages.length, next_cursor: page.nextPageToken };
    return accountAnswer(call, fields, 'Messages of this tenant, in their order.');
  };
}
