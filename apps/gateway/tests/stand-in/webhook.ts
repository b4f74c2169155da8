import { createMessage, webhook } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, notFound } from '@market-state/errors';
import { bindService, createHealth, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { testServing } from '@market-state/testing';
import { createStandInSearches } from './saved-searches';
import { createStandInWatchlists } from './watchlists';
import { createStandInEndpoints, LIVE_ENDPOINT, refuseUrl, SECRET, type StandInEndpoints } from './webhook-endpoints';

const { EndpointStatus, EndpointKind } = webhook;

/** Message and task that exist from the start. */
export const SENT_MESSAGE = 'msg_sent';
export const DONE_TASK = 'tsk_done';
/** Code that no email has. */
export const WRONG_CODE = '00000000';

export const UNSUBSCRIBE_TOKEN = 'unsubscribe-token-of-the-stand-in';
const DAY_MS = 86_400_000;

export interface StandInWebhook {
  readonly address: string;
  readonly endpoints: StandInEndpoints;
  /** Creates a message for a tenant, wakes waiting calls and returns its id. */
  report(tenantId: string, eventKind: string, data: object): string;
  /** Operation ids of the rotations and tasks. */
  readonly operations: readonly (string | undefined)[];
  /** Calls waiting for messages. */
  waitingTotal(): number;
  close(): Promise<void>;
}

function attemptOf(messageId: string, endpointId: string, eventKind: string, startedMs: number): webhook.Attempt {
  return createMessage(webhook.Attempt, {
    attemptId: 'att_1',
    messageId,
    endpointId,
    eventKind,
    number: 1,
    startedMs,
    durationMs: 41,
    status: 200,
    outcome: 'ok',
    snippet: 'thanks',
  });
}

/** In-memory webhook service with endpoints and messages; everything it sends arrives immediately. */
export async function startStandInWebhook(now: () => number): Promise<StandInWebhook> {
  const endpoints = createStandInEndpoints(now);
  const operations: (string | undefined)[] = [];
  const reported: { readonly tenantId: string; readonly message: webhook.Message }[] = [];
  const tasks = new Map<string, { readonly tenantId: string; readonly task: webhook.Task }>();
  const waiting = new Set<() => void>();

  function report(tenantId: string, eventKind: string, data: object, messageId = `msg_${reported.length + 1}`): string {
    const timestamp = new Date(now()).toISOString();
    const body = Buffer.from(JSON.stringify({ type: eventKind, timestamp, id: messageId, tenant_id: tenantId, data, meta: {} }));
    reported.push({ tenantId, message: { messageId, eventKind, createdMs: now(), body } });
    for (const wake of [...waiting]) wake();
    return messageId;
  }

  function messageOf(tenantId: string, messageId: string): webhook.Message {
    const found = reported.find((entry) => entry.tenantId === tenantId && entry.message.messageId === messageId);
    if (found === undefined) throw notFound('unknown_message', 'No such message.');
    return found.message;
  }

  function order(tenantId: string, endpointId: string, kind: string, sinceMs: number, untilMs: number): webhook.Task {
    endpoints.liveOf(tenantId, endpointId);
    const oldestMs = now() - 14 * DAY_MS;
    if (sinceMs < oldestMs)
      throw failedPrecondition('beyond_retention', 'Messages are kept for 14 days.', { metadata: { oldest_ms: String(oldestMs) } });
    const taskId = tasks.size === 0 ? DONE_TASK : `tsk_${tasks.size}`;
    const until = untilMs === 0 ? now() : untilMs;
    const times = { sinceMs, untilMs: until, createdMs: now(), finishedMs: now() };
    const task = { taskId, endpointId, kind, status: 'done', ...times, found: 2, delivered: 2, failed: 0 };
    tasks.set(taskId, { tenantId, task });
    return task;
  }

  const deliveryOf = (endpointId: string): webhook.Delivery =>
    createMessage(webhook.Delivery, { deliveryId: 'dlv_1', endpointId, status: 'delivered', attempts: 1, marketStateCredits: 1 });

  const ofEndpoints = bindService(webhook.EndpointServiceService, {
    createEndpoint: async (request) => endpoints.create(request),
    getEndpoint: async ({ tenantId, endpointId }) => ({ endpoint: endpoints.of(tenantId, endpointId) }),
    async listEndpoints({ tenantId, pageSize, pageToken }) {
      const from = placeOf(pageToken);
      const all = endpoints.listOf(tenantId);
      const next = from + pageSize;
      return { endpoints: all.slice(from, next), nextPageToken: next < all.length ? tokenOf(next) : '' };
    },
    async updateEndpoint({ tenantId, endpointId, url, description, eventKinds, symbols, disabled }) {
      const before = endpoints.of(tenantId, endpointId);
      refuseUrl(url ?? '');
      const isOff = disabled === true || (url !== undefined && url !== before.url);
      const endpoint = endpoints.change(tenantId, endpointId, {
        url: url ?? before.url,
        description: description ?? before.description,
        eventKinds: eventKinds.length === 0 ? before.eventKinds : eventKinds,
        symbols: symbols?.symbols ?? before.symbols,
        ...(isOff ? { status: EndpointStatus.DISABLED, disabledReason: disabled === true ? 'owner' : 'url_changed' } : {}),
      });
      return { endpoint };
    },
    deleteEndpoint: async ({ tenantId, endpointId }) => ({ endpoint: endpoints.remove(tenantId, endpointId) }),
    async testEndpoint({ tenantId, endpointId }) {
      if (endpoints.of(tenantId, endpointId).disabledReason === 'owner')
        throw failedPrecondition('endpoint_disabled', 'The endpoint is disabled.', { metadata: { disabled_reason: 'owner' } });
      const messageId = report(tenantId, 'webhook.test', { endpoint_id: endpointId });
      const live = { status: EndpointStatus.LIVE, disabledReason: '', lastSuccessMs: now() };
      return {
        endpoint: endpoints.change(tenantId, endpointId, live),
        messageId,
        attempt: attemptOf(messageId, endpointId, 'webhook.test', now()),
      };
    },
    async confirmEndpoint({ tenantId, endpointId, code }) {
      const { kind } = endpoints.of(tenantId, endpointId);
      if (code === WRONG_CODE) throw invalidArgument([{ field: 'code', message: 'is not the code of the last mail', type: 'wrong_code' }]);
      const isEmail = kind === EndpointKind.EMAIL;
      return { endpoint: endpoints.change(tenantId, endpointId, isEmail ? { status: EndpointStatus.LIVE, confirmedMs: now() } : {}) };
    },
    async unsubscribeEndpoint({ token }) {
      if (token !== UNSUBSCRIBE_TOKEN) throw notFound('unknown_endpoint', 'Unknown.');
      return {};
    },
    async rotateSecret({ tenantId, endpointId, graceHours, operationId }) {
      operations.push(operationId);
      if (endpoints.of(tenantId, endpointId).kind !== EndpointKind.WEBHOOK)
        throw failedPrecondition('no_signing_secret', 'Only webhooks have a signing secret.');
      const [newest] = endpoints.of(tenantId, endpointId).secrets;
      const old = newest === undefined || graceHours === 0 ? [] : [{ ...newest, expiresMs: now() + graceHours * 3_600_000 }];
      const secrets = [{ secretId: 'whk_2', createdMs: now(), expiresMs: 0 }, ...old];
      return { endpoint: endpoints.change(tenantId, endpointId, { secrets }), secret: SECRET };
    },
    async enableEndpoint({ tenantId, endpointId }) {
      const { status } = endpoints.of(tenantId, endpointId);
      const change = status === EndpointStatus.DISABLED ? { status: EndpointStatus.TEST_PENDING, disabledReason: '' } : {};
      return { endpoint: endpoints.change(tenantId, endpointId, change) };
    },
    async recover({ tenantId, endpointId, sinceMs, untilMs, operationId }) {
      operations.push(operationId);
      return { task: order(tenantId, endpointId, 'recover', sinceMs, untilMs) };
    },
    async replayMissing({ tenantId, endpointId, sinceMs, operationId }) {
      operations.push(operationId);
      return { task: order(tenantId, endpointId, 'replay_missing', sinceMs, 0) };
    },
    resealSecrets: () => Promise.reject(new Error('for operators alone')),
    async getTask({ tenantId, taskId }) {
      const found = tasks.get(taskId);
      if (found?.tenantId !== tenantId) throw notFound('unknown_task', 'No such task.');
      return { task: found.task };
    },
  });
  const ofMessages = bindService(webhook.MessageServiceService, {
    async listMessages({ tenantId, eventKinds, pageSize, pageToken, waitMs, fromNewest = false }, { signal }) {
      const from = fromNewest && pageToken === '' ? reported.length : placeOf(pageToken);
      const look = () =>
        reported
          .map((entry, index) => ({ ...entry, index }))
          .filter(({ tenantId: of, message, index }) => of === tenantId && index >= from && isWanted(message, eventKinds))
          .slice(0, pageSize);
      if (look().length === 0 && waitMs > 0) await nextMessage(waitMs, signal);
      const found = look();
      const last = found.at(-1);
      return { messages: found.map(({ message }) => message), nextPageToken: tokenOf(last === undefined ? from : last.index + 1) };
    },
    async getMessage({ tenantId, messageId }) {
      const message = messageOf(tenantId, messageId);
      const attempts = [attemptOf(messageId, LIVE_ENDPOINT, message.eventKind, now())];
      return { message, deliveries: [deliveryOf(LIVE_ENDPOINT)], attempts };
    },
    async resendMessage({ tenantId, messageId, endpointId }) {
      messageOf(tenantId, messageId);
      endpoints.liveOf(tenantId, endpointId);
      return { delivery: { ...deliveryOf(endpointId), status: 'waiting', nextAttemptMs: now(), marketStateCredits: 0 } };
    },
    async listAttempts({ tenantId, endpointId, outcome }) {
      if (endpointId !== '') endpoints.of(tenantId, endpointId);
      const attempts = tenantId === 'ten_1' ? [attemptOf(SENT_MESSAGE, LIVE_ENDPOINT, 'alert.triggered', now())] : [];
      return { attempts: attempts.filter((attempt) => outcome === '' || attempt.outcome === outcome), nextPageToken: '' };
    },
  });

  const ofSearches = bindService(webhook.SavedSearchServiceService, createStandInSearches(now));
  const watchlists = createStandInWatchlists(now);
  const ofWatchlists = bindService(webhook.WatchlistServiceService, {
    createWatchlist: async (request) => watchlists.createWatchlist(request),
    getWatchlist: async (request) => watchlists.getWatchlist(request),
    listWatchlists: async (request) => watchlists.listWatchlists(request),
    updateWatchlist: async (request) => watchlists.updateWatchlist(request),
    deleteWatchlist: async (request) => watchlists.deleteWatchlist(request),
    rehearse: async (request) => watchlists.rehearse(request),
  });

  function nextMessage(waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(wake, waitMs);
      function wake(): void {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      }
      waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  const server = await startGrpcServer({
    ...testServing('webhook'),
    address: '127.0.0.1:0',
    services: [ofEndpoints, ofMessages, ofWatchlists, ofSearches],
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
  });
  report('ten_1', 'alert.triggered', { symbol: 'BTCUSD-PERP', phase: 'triggered' }, SENT_MESSAGE);
  order('ten_1', LIVE_ENDPOINT, 'recover', now() - DAY_MS, 0);
  return { address: server.address, endpoints, report, operations, waitingTotal: () => waiting.size, close: () => server.close() };
}

function isWanted({ eventKind }: webhook.Message, eventKinds: readonly string[]): boolean {
  return eventKinds.length === 0 || eventKinds.includes(eventKind);
}

function tokenOf(place: number): string {
  return Buffer.from(`["w",${place}]`).toString('base64url');
}

/** Position in one of our tokens; throws INVALID_ARGUMENT for any other. */
function placeOf(token: string): number {
  const place = token === '' ? 0 : Number(/^\["w",(\d+)\]$/.exec(Buffer.from(token, 'base64url').toString())?.[1]);
  if (!Number.isSafeInteger(place)) throw invalidArgument([{ field: 'page_token', message: 'is malformed', type: 'malformed' }]);
  return place;
}
