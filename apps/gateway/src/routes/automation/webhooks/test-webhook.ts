import { fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { showAttempt } from './show-message';
import { showWebhook } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

/** Sends a test by the way of every delivery. */
export function testWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'testWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const sent = await fromWebhooks(endpoints.call.testEndpoint({ tenantId, endpointId: call.input.path.webhook_id }));
    const attempt = sent.attempt === undefined ? null : showAttempt(sent.attempt);
    const succeeded = attempt?.outcome === 'ok';
    const fields = { webhook: showWebhook(sent.endpoint), message_id: sent.messageId, succeeded, attempt };
    return accountAnswer(call, fields, sentenceOf(succeeded, attempt?.outcome));
  };
}

function sentenceOf(succeeded: boolean, outcome: string | undefined): string {
  if (succeeded) return 'The endpoint answered the test with 2xx: it is live.';
  if (outcome === undefined) return 'The test is on its way; its receipt will be among the deliveries.';
  return `The first attempt of the test failed (${outcome}); the endpoint is as it was.`;
}
