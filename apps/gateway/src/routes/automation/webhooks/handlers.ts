import { createWebhook } from './create-webhook';
import { deleteWebhook } from './delete-webhook';
import { enableWebhook } from './enable-webhook';
import { getWebhook } from './get-webhook';
import { getWebhookEvent } from './get-webhook-event';
import { listWebhookDeliveries } from './list-webhook-deliveries';
import { listWebhookEvents } from './list-webhook-events';
import { listWebhooks } from './list-webhooks';
import { resendWebhookEvent } from './resend-webhook-event';
import { rotateWebhookSecret } from './rotate-webhook-secret';
import { testWebhook } from './test-webhook';
import { updateWebhook } from './update-webhook';
import { getWebhookTask, recoverWebhook, replayMissingWebhook } from './webhook-tasks';
import type { WebhooksDeps } from './webhooks-deps';

/** Webhook endpoints, their messages and deliveries, by operation id. */
export function webhookHandlers(deps: WebhooksDeps) {
  return {
    listWebhooks: listWebhooks(deps),
    createWebhook: createWebhook(deps),
    getWebhook: getWebhook(deps),
    updateWebhook: updateWebhook(deps),
    deleteWebhook: deleteWebhook(deps),
    testWebhook: testWebhook(deps),
    rotateWebhookSecret: rotateWebhookSecret(deps),
    enableWebhook: enableWebhook(deps),
    recoverWebhook: recoverWebhook(deps),
    replayMissingWebhook: replayMissingWebhook(deps),
    getWebhookTask: getWebhookTask(deps),
    listWebhookDeliveries: listWebhookDeliveries(deps),
    listWebhookEvents: listWebhookEvents(deps),
    getWebhookEvent: getWebhookEvent(deps),
    resendWebhookEvent: resendWebhookEvent(deps),
  };
}
