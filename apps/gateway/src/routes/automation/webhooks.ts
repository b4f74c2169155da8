import { webhook as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { fromSpan, fromWebhooks } from '../../clients/from-webhooks';
import { refuseUnserved } from '../../clients/market-data-client';
import { accountAnswer } from '../../serving/answers/account-answer';
import { type CallContext, grantOf, type Handler } from '../../serving/answers/handler';
import { parseInstant, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import { newOperationId } from '../../serving/metering/meter';
import { type Described, documentedWord } from '../../serving/openapi/document';
import type { Upstreams } from '../../clients/upstreams';
import type { OpenStreams } from '../../streams/open-streams';

export interface WebhooksDeps extends Pick<Upstreams, 'endpoints' | 'messages' | 'messageWaits' | 'people' | 'marketData'> {
  readonly streams: { readonly open: Pick<OpenStreams, 'wait'> };
}

type WebhookRecord = Described<'WebhookRecord'>;

const BASE = '/api/public/market-state/webhooks';

const { EndpointStatus, EndpointKind } = contract;

const KINDS: Readonly<Record<WebhookRecord['kind'], contract.EndpointKind>> = {
  webhook: EndpointKind.WEBHOOK,
  slack: EndpointKind.SLACK,
  discord: EndpointKind.DISCORD,
  telegram: EndpointKind.TELEGRAM,
  pagerduty: EndpointKind.PAGERDUTY,
  email: EndpointKind.EMAIL,
};

/** A webhook service of the previous release names no kind. */
function endpointKindOf(kind: contract.EndpointKind): WebhookRecord['kind'] {
  for (const [name, value] of Object.entries(KINDS)) if (value === kind) return name as WebhookRecord['kind'];
  return 'webhook';
}

function statusOf(status: contract.EndpointStatus): WebhookRecord['status'] {
  switch (status) {
    case EndpointStatus.TEST_PENDING:
      return 'test_pending';
    case EndpointStatus.LIVE:
      return 'live';
    case EndpointStatus.DISABLED:
      return 'disabled';
    default:
      throw internal({ detail: `the webhook service returned unknown status ${status}` });
  }
}

export const kindOf = documentedWord('WebhookMessage', 'type');

const disabledReasonOf = documentedWord('WebhookRecord', 'disabled_reason');
const taskKindOf = documentedWord('WebhookTaskRecord', 'kind');
const taskStatusOf = documentedWord('WebhookTaskRecord', 'status');

/** Public view of an endpoint; never includes its secrets. */
export function showWebhook(endpoint: contract.Endpoint | undefined): WebhookRecord {
  if (endpoint === undefined) throw internal({ detail: 'the webhook service returned no endpoint' });
  const route = `${BASE}/${endpoint.endpointId}`;
  const kind = endpointKindOf(endpoint.kind);
  return {
    webhook_id: endpoint.endpointId,
    kind,
    url: endpoint.url,
    email: kind === 'email' ? endpoint.url.replace('mailto:', '') : null,
    chat_id: endpoint.chatId === '' ? null : endpoint.chatId,
    digest_minutes: endpoint.digestMinutes,
    confirmed_at_utc: toUtcOrNull(endpoint.confirmedMs),
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

function showTask(task: contract.Task | undefined): Described<'WebhookTaskRecord'> {
  if (task === undefined) throw internal({ detail: 'the webhook service returned no task' });
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

/** Notes for a response that contains the secret, and for a retry that no longer can. */
const SECRET_SHOWN_ONCE = 'Store this signing secret now: it is not shown again.';
const SECRET_LOST =
  'An earlier attempt of this call registered the endpoint and returned its secret. Rotate the secret if you did not receive it.';

function createdSentence({ kind }: WebhookRecord, secret: string): string {
  if (kind === 'webhook') return secret === '' ? SECRET_LOST : SECRET_SHOWN_ONCE;
  if (kind === 'email') return 'Send a test: it mails a code, and confirming the code makes the endpoint live.';
  return 'Send a test: once it is accepted, the endpoint is live.';
}

type ChangeKind = 'destination_created' | 'destination_changed' | 'destination_deleted';

/** The change is already made, so a failure must not make the caller repeat it. */
async function logChange(people: WebhooksDeps['people'], call: CallContext, kind: ChangeKind, subjectId: string): Promise<void> {
  const { tenantId, accountId, keyId } = grantOf(call);
  const event = { tenantId, accountId: accountId ?? '', keyId: keyId ?? '', kind, subjectId, address: call.address() };
  await people.call.recordDestinationEvent(event).catch(() => undefined);
}

export function createWebhook({
  endpoints,
  people,
  marketData,
}: Pick<WebhooksDeps, 'endpoints' | 'people' | 'marketData'>): Handler<'createWebhook'> {
  return async (call) => {
    const { tenantId, plan } = grantOf(call);
    const { kind = 'webhook', event_kinds: eventKinds, symbols = [], description = '' } = call.input.body;
    const { url = '', email = '', bot_token: botToken = '', chat_id: chatId = '', routing_key: routingKey = '' } = call.input.body;
    await refuseUnserved(marketData, symbols);
    const { endpoint, secret } = await fromWebhooks(
      call,
      endpoints.call.createEndpoint({
        tenantId,
        planId: plan.planId,
        operationId: call.ownTry?.operationId ?? newOperationId(),
        kind: KINDS[kind],
        url,
        email,
        botToken,
        chatId,
        routingKey,
        digestMinutes: call.input.body.digest_minutes ?? 0,
        description,
        eventKinds: [...eventKinds],
        symbols: [...symbols],
      }),
    );
    const record = showWebhook(endpoint);
    await logChange(people, call, 'destination_created', record.webhook_id);
    return {
      ...accountAnswer(call, { ...record, secret: secret === '' ? null : secret }, createdSentence(record, secret)),
      headers: { Location: record.routes.webhook },
    };
  };
}

export function listWebhooks({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'listWebhooks'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const { tenantId } = grantOf(call);
    const page = await fromWebhooks(call, endpoints.call.listEndpoints({ tenantId, pageSize: limit, pageToken: cursor }));
    const fields = {
      webhooks: page.endpoints.map(showWebhook),
      row_total: page.endpoints.length,
      next_cursor: page.nextPageToken === '' ? null : page.nextPageToken,
    };
    return accountAnswer(call, fields, 'Webhook endpoints of this tenant, newest first.');
  };
}

export function getWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'getWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { endpoint } = await fromWebhooks(call, endpoints.call.getEndpoint({ tenantId, endpointId: call.input.path.webhook_id }));
    return accountAnswer(call, showWebhook(endpoint), 'The webhook endpoint.');
  };
}

export function updateWebhook({
  endpoints,
  people,
  marketData,
}: Pick<WebhooksDeps, 'endpoints' | 'people' | 'marketData'>): Handler<'updateWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { url, description, event_kinds: eventKinds = [], symbols, disabled, email } = call.input.body;
    const { bot_token: botToken, chat_id: chatId, routing_key: routingKey, digest_minutes: digestMinutes } = call.input.body;
    await refuseUnserved(marketData, symbols ?? []);
    const { endpoint } = await fromWebhooks(
      call,
      endpoints.call.updateEndpoint({
        tenantId,
        endpointId: call.input.path.webhook_id,
        url,
        description,
        eventKinds: [...eventKinds],
        symbols: symbols === undefined ? undefined : { symbols: [...symbols] },
        disabled,
        email,
        botToken,
        chatId,
        routingKey,
        digestMinutes,
      }),
    );
    await logChange(people, call, 'destination_changed', call.input.path.webhook_id);
    return accountAnswer(call, showWebhook(endpoint), 'Webhook endpoint updated.');
  };
}

export function deleteWebhook({ endpoints, people }: Pick<WebhooksDeps, 'endpoints' | 'people'>): Handler<'deleteWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { endpoint } = await fromWebhooks(call, endpoints.call.deleteEndpoint({ tenantId, endpointId: call.input.path.webhook_id }));
    await logChange(people, call, 'destination_deleted', call.input.path.webhook_id);
    return accountAnswer(call, showWebhook(endpoint), 'Webhook endpoint deleted. This is its last record.');
  };
}

export function enableWebhook({ endpoints, people }: Pick<WebhooksDeps, 'endpoints' | 'people'>): Handler<'enableWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { endpoint } = await fromWebhooks(call, endpoints.call.enableEndpoint({ tenantId, endpointId: call.input.path.webhook_id }));
    await logChange(people, call, 'destination_changed', call.input.path.webhook_id);
    const record = showWebhook(endpoint);
    const sentence =
      record.status === 'live' ? 'The webhook endpoint is live.' : 'The webhook endpoint is unverified: send it a test to activate it.';
    return accountAnswer(call, record, sentence);
  };
}

export function confirmWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'confirmWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { code } = call.input.body;
    const { endpoint } = await fromWebhooks(
      call,
      endpoints.call.confirmEndpoint({ tenantId, endpointId: call.input.path.webhook_id, code }),
    );
    return accountAnswer(call, showWebhook(endpoint), 'The email is confirmed, and the endpoint is live.');
  };
}

export function unsubscribe({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'unsubscribe'> {
  return async (call) => {
    await fromWebhooks(call, endpoints.call.unsubscribeEndpoint({ token: call.input.path.token }));
    return accountAnswer(call, { unsubscribed: true }, 'No more emails are sent to this address.');
  };
}

const GRACE_HOURS = 24;

export function rotateWebhookSecret({ endpoints, people }: Pick<WebhooksDeps, 'endpoints' | 'people'>): Handler<'rotateWebhookSecret'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const graceHours = call.input.body?.grace_hours ?? GRACE_HOURS;
    const { endpoint, secret } = await fromWebhooks(
      call,
      endpoints.call.rotateSecret({ tenantId, endpointId: call.input.path.webhook_id, graceHours, operationId: call.ownTry?.operationId }),
    );
    await logChange(people, call, 'destination_changed', call.input.path.webhook_id);
    return accountAnswer(call, { ...showWebhook(endpoint), secret }, SECRET_SHOWN_ONCE);
  };
}

const ORDERED = 'Task started. Poll its route for progress.';

/** Resends failed messages of a span. */
export function recoverWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'recoverWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { since, until = '' } = call.input.body;
    const span = { sinceMs: parseInstant(since) ?? 0, untilMs: parseInstant(until) ?? 0 };
    const { task } = await fromSpan(
      call,
      endpoints.call.recover({ tenantId, endpointId: call.input.path.webhook_id, ...span, operationId: call.ownTry?.operationId }),
    );
    return accountAnswer(call, showTask(task), ORDERED);
  };
}

/** Sends messages that were never delivered. */
export function replayMissingWebhook({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'replayMissingWebhook'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const sinceMs = parseInstant(call.input.body.since) ?? 0;
    const { task } = await fromSpan(
      call,
      endpoints.call.replayMissing({ tenantId, endpointId: call.input.path.webhook_id, sinceMs, operationId: call.ownTry?.operationId }),
    );
    return accountAnswer(call, showTask(task), ORDERED);
  };
}

export function getWebhookTask({ endpoints }: Pick<WebhooksDeps, 'endpoints'>): Handler<'getWebhookTask'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { task } = await fromWebhooks(call, endpoints.call.getTask({ tenantId, taskId: call.input.path.task_id }));
    return accountAnswer(call, showTask(task), 'Current state of the task.');
  };
}
