import { webhook as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { toUtc, toUtcOrNull } from '../../../serving/meta/instant';
import { type Described, documentedWord } from '../../../serving/openapi/described';

type WebhookRecord = Described<'WebhookRecord'>;

const BASE = '/api/public/market-state/webhooks';

const { EndpointStatus } = contract;

function statusOf(status: contract.EndpointStatus): WebhookRecord['status'] {
  switch (status) {
    case EndpointStatus.TEST_PENDING:
      return 'test_pending';
    case EndpointStatus.LIVE:
      return 'live';
    case EndpointStatus.DISABLED:
      return 'disabled';
    default:
      throw internal({ detail: `the webhook service told the status ${status}` });
  }
}

/** Kinds of message as the document lists them. */
export const kindOf = documentedWord('WebhookMessage', 'type');

const disabledReasonOf = documentedWord('WebhookRecord', 'disabled_reason');
const taskKindOf = documentedWord('WebhookTaskRecord', 'kind');
const taskStatusOf = documentedWord('WebhookTaskRecord', 'status');

/** An endpoint as it is shown: of its secrets, all but the secrets. */
export function showWebhook(endpoint: contract.Endpoint | undefined): WebhookRecord {
  if (endpoint === undefined) throw internal({ detail: 'the webhook service told no endpoint' });
  const route = `${BASE}/${endpoint.endpointId}`;
  return {
    webhook_id: endpoint.endpointId,
    url: endpoint.url,
    description: endpoint.description,
    event_kinds: endpoint.eventKinds.map(kindOf),
    symbols: endpoint.symbols,
    status: statusOf(endpoint.status),
    disabled_reason: endpoint.disabledReason === '' ? null : disabledReasonOf(endpoint.disabledReason),
    created_at_utc: toUtc(endpoint.createdMs),
    updated_at_utc: toUtc(endpoint.updatedMs),
    secrets: endpoint.secrets.map(({ secretId, createdMs, expiresMs }) => ({
      secret_id: secretId,
      created_at_utc: toUtc(createdMs),
      expires_at_utc: toUtcOrNull(expiresMs),
    })),
    last_success_at_utc: toUtcOrNull(endpoint.lastSuccessMs),
    failing_since_utc: toUtcOrNull(endpoint.failingSinceMs),
    waiting: endpoint.waiting,
    paused_until_utc: toUtcOrNull(endpoint.breakerOpenUntilMs),
    test_target: endpoint.testTarget,
    routes: {
      webhook: route,
      test: `${route}/test`,
      rotate_secret: `${route}/rotate-secret`,
      deliveries: `${BASE}/deliveries?webhook_id=${endpoint.endpointId}`,
    },
  };
}

/** A task, and where it is followed. */
export function showTask(task: contract.Task | undefined): Described<'WebhookTaskRecord'> {
  if (task === undefined) throw internal({ detail: 'the webhook service told no task' });
  return {
    task_id: task.taskId,
    webhook_id: task.endpointId,
    kind: taskKindOf(task.kind),
    status: taskStatusOf(task.status),
    since_utc: toUtc(task.sinceMs),
    until_utc: toUtc(task.untilMs),
    found: task.found,
    delivered: task.delivered,
    failed: task.failed,
    created_at_utc: toUtc(task.createdMs),
    finished_at_utc: toUtcOrNull(task.finishedMs),
    route: `${BASE}/tasks/${task.taskId}`,
  };
}
