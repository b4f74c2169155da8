import { fromSpan, fromWebhooks } from '../../../clients/webhooks/from-webhooks';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { parseInstant } from '../../../serving/meta/instant';
import { showTask } from './show-webhook';
import type { WebhooksDeps } from './webhooks-deps';

const ORDERED = 'The task runs; its route tells how far it has come.';

/** Sends again what failed in a span. */
export function recoverWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'recoverWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { since, until = '' } = call.input.body;
    const span = { sinceMs: parseInstant(since) ?? 0, untilMs: parseInstant(until) ?? 0 };
    const { task } = await fromSpan(endpoints.call.recover({ tenantId, endpointId: call.input.path.webhook_id, ...span }));
    return accountAnswer(call, showTask(task), ORDERED);
  };
}

/** Sends what was never delivered. */
export function replayMissingWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'replayMissingWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const sinceMs = parseInstant(call.input.body.since) ?? 0;
    const { task } = await fromSpan(endpoints.call.replayMissing({ tenantId, endpointId: call.input.path.webhook_id, sinceMs }));
    return accountAnswer(call, showTask(task), ORDERED);
  };
}

export function getWebhookTask({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'getWebhookTask'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { task } = await fromWebhooks(endpoints.call.getTask({ tenantId, taskId: call.input.path.task_id }));
    return accountAnswer(call, showTask(task), 'The task as it is now.');
  };
}
