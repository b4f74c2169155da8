import type { webhook } from '@market-state/contracts';
import { type Fault, notFound } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { delay } from '@market-state/lifecycle';
import { pageTokenFaults, readToken, writeToken } from '@market-state/page-token';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { idFaults, optionalIdFaults, optionalSpanFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { type EndpointDeps, eventKindFaults } from '../endpoints/endpoint';
import { refuseBeyondRetention, refuseUnlessLive, requireEndpoint, requireLocked } from '../endpoints/require-endpoint';
import { newId } from '../ids';
import { bodyOf, creditsOf, type MessageRow } from '../messages/message';
import { listReceipts, type Receipt } from '../store/attempts';
import { listDeliveries, sendAgain, type ShownDelivery } from '../store/deliveries';
import { wakeQueues } from '../store/endpoint-queues';
import { findMessage, listMessages as list, newestPosition } from '../store/messages';
import { pageOf, pageSizeFaults, pageSizeOf } from './request-faults';

/** A delivery costs nothing until it is delivered. */
function showDelivery({ deliveryId, endpointId, status, attempts, dueMs, credits }: ShownDelivery): webhook.Delivery {
  return {
    deliveryId,
    endpointId,
    status,
    attempts,
    nextAttemptMs: dueMs ?? 0,
    marketStateCredits: status === 'delivered' ? credits : 0,
  };
}

/** The body is empty past its retention. */
function showMessage(row: MessageRow): webhook.Message {
  return {
    messageId: row.message_id,
    eventKind: row.event_kind,
    createdMs: Number(row.created_ms),
    body: row.data === null ? Buffer.alloc(0) : bodyOf(row),
  };
}

async function requireMessage(on: Queryable, tenantId: string, messageId: string): Promise<MessageRow> {
  const message = await findMessage(on, tenantId, messageId);
  if (message === undefined) throw notFound('unknown_message', 'No such message.');
  return message;
}

/** Above the maximum: 50 endpoints with 10 attempts each, plus resends. */
const ATTEMPTS_MAX = 1_000;

export async function getMessage(
  { pool }: Pick<EndpointDeps, 'pool'>,
  { tenantId, messageId }: webhook.GetMessageRequest,
): Promise<webhook.GetMessageResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('message_id', messageId));
  const message = await requireMessage(pool, tenantId, messageId);
  const filter = { tenantId, endpointId: '', messageId, outcome: '', fromMs: 0, toMs: 0 };
  const [deliveries, receipts] = await Promise.all([listDeliveries(pool, messageId), listReceipts(pool, filter, { limit: ATTEMPTS_MAX })]);
  return { message: showMessage(message), deliveries: deliveries.map(showDelivery), attempts: receipts.map(showReceipt) };
}

export async function resendMessage(
  deps: EndpointDeps,
  { tenantId, messageId, endpointId }: webhook.ResendMessageRequest,
): Promise<webhook.ResendMessageResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('message_id', messageId), idFaults('endpoint_id', endpointId));
  const { pool, notifier, clock, targets } = deps;
  const nowMs = clock();
  const message = await requireMessage(pool, tenantId, messageId);
  const endpoint = await requireEndpoint(pool, tenantId, endpointId);
  refuseUnlessLive(endpoint);
  if (message.data === null) refuseBeyondRetention(Number(message.created_ms), nowMs);
  // The worker checks the secret address of other destinations.
  if (endpoint.kind === 'webhook') refuseFaults((await targets.check(endpoint.url)).faults);
  const { wakeUps, delivery } = await inTransaction(pool, async (client) => {
    refuseUnlessLive(await requireLocked(client, tenantId, endpointId));
    const resending = { deliveryId: newId('dlv'), messageId, endpointId, tenantId, eventKind: message.event_kind };
    await sendAgain(client, { ...resending, credits: creditsOf(message.event_kind) }, nowMs);
    const deliveries = await listDeliveries(client, messageId);
    return { wakeUps: await wakeQueues(client, [endpointId], nowMs), delivery: deliveries.find((one) => one.endpointId === endpointId) };
  });
  await notifier.notify(wakeUps);
  return { delivery: delivery === undefined ? undefined : showDelivery(delivery) };
}

const WAIT_MS_MAX = 20_000;
const POLL_MS = 250;

const TOKEN = z.tuple([z.literal('m1'), z.string(), z.int().min(0)]);

/** Long poll. The token advances only by returned messages. */
export async function listMessages(
  { pool, stopping }: Pick<EndpointDeps, 'pool' | 'stopping'>,
  request: webhook.ListMessagesRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<webhook.ListMessagesResponse> {
  const { tenantId, eventKinds, pageSize, pageToken, waitMs, fromNewest = false } = request;
  const after = pageToken === '' ? 0 : positionOf(request);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    eventKindFaults(eventKinds, 0),
    pageSizeFaults(pageSize),
    rangeFaults('wait_ms', waitMs, 0, WAIT_MS_MAX),
    pageTokenFaults(pageToken, after),
  );
  const isFromNewest = fromNewest && pageToken === '';
  const wanted = { after: isFromNewest ? await newestPosition(pool, tenantId) : (after ?? 0), eventKinds, limit: pageSizeOf(pageSize) };
  const endMs = performance.now() + waitMs;
  let visited = -1;
  let found: MessageRow[] = [];
  for (;;) {
    // Positions become visible in order: none below the newest can still appear.
    const newest = await newestPosition(pool, tenantId);
    if (newest > visited) found = await list(pool, tenantId, { ...wanted, after: Math.max(wanted.after, visited) });
    visited = newest;
    const leftMs = endMs - performance.now();
    if (found.length > 0 || leftMs <= 0 || stopping.aborted) break;
    await pause(Math.min(POLL_MS, leftMs), { signal, stopping });
  }
  const last = found.at(-1);
  return {
    messages: found.map(showMessage),
    nextPageToken: writeToken(['m1', tenantId, last === undefined ? wanted.after : Number(last.position)]),
  };
}

function positionOf({ tenantId, pageToken }: webhook.ListMessagesRequest): number | undefined {
  const values = readToken(TOKEN, pageToken);
  return values?.[1] === tenantId ? values[2] : undefined;
}

/** Returns early when the process stops; rejects if the caller disconnects. */
export async function pause(
  durationMs: number,
  { signal, stopping }: { readonly signal: AbortSignal; readonly stopping: AbortSignal },
): Promise<void> {
  await delay(durationMs, AbortSignal.any([signal, stopping])).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });
}

const OUTCOME =
  /^(?:ok|failed|timeout|dns|guard|tls|connect|reset|too_large|mail_refused|mail_deferred|mail_unavailable|mail_limit|status_[1-5]\d\d)$/;

export function showReceipt({ nextAttemptMs, ...receipt }: Receipt): webhook.Attempt {
  return { ...receipt, nextAttemptMs: nextAttemptMs ?? 0 };
}

export async function listAttempts(
  { pool }: Pick<EndpointDeps, 'pool'>,
  request: webhook.ListAttemptsRequest,
): Promise<webhook.ListAttemptsResponse> {
  const { tenantId, endpointId, messageId, outcome, fromMs, toMs } = request;
  const faults = [
    ...idFaults('tenant_id', tenantId),
    ...optionalIdFaults('endpoint_id', endpointId),
    ...optionalIdFaults('message_id', messageId),
    ...(outcome === '' || OUTCOME.test(outcome) ? [] : strangeOutcome()),
    ...optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]),
  ];
  const { page, nextPageToken } = await pageOf(
    ['a1', tenantId, [endpointId, messageId, outcome, fromMs, toMs].join()],
    request,
    faults,
    async (of) => {
      if (endpointId !== '') await requireEndpoint(pool, tenantId, endpointId);
      return listReceipts(pool, { tenantId, endpointId, messageId, outcome, fromMs, toMs }, of);
    },
    ({ startedMs, attemptId }) => ({ atMs: startedMs, id: attemptId }),
  );
  return { attempts: page.map(showReceipt), nextPageToken };
}

function strangeOutcome(): Fault[] {
  return [{ field: 'outcome', message: 'must be ok, failed, or an attempt outcome', type: 'unsupported' }];
}
