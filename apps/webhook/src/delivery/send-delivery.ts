import { inTransaction } from '@market-state/postgres';
import { insideTrace, type OpenSpan, openSpan } from '@market-state/tracing';
import { openSecret, type SignatureHeaders, signWebhook } from '@market-state/webhook-signing';
import type { Sender, SendResult } from '@market-state/guarded-http';
import { type Postponed, type MailDeps, sendEmail } from '../destinations/email';
import { newId } from '../ids';
import { bodyOf, type MessageRow } from '../messages/message';
import { type ClaimedDelivery, releaseClaim } from '../store/deliveries';
import { advanceQueues, type LockedQueue, lockQueues } from '../store/endpoint-queues';
import { type AttemptResult, type Ended, isOk, notSent } from './attempt-result';
import { type Claim, slotsOf } from './claim-deliveries';
import type { ReservedCredit } from './credits';
import type { WorkerDeps } from './worker-deps';
import type { StoredSecret } from '../store/secrets';
import { DESTINATION_APIS } from '../destinations/destination-api';
import { noticeOf } from '../destinations/notice';

const HOUR_MS = 3_600_000;
const HELD_RETRY_MS = 60_000;
const HELD_MS_MAX = 24 * HOUR_MS;
/** Delay of a delivery that could not be tried because account or the database is unavailable. */
const AWAY_MS = 60_000;

/** One delivery, or those of a digest. */
type Sending = Claim;

/** In its own trace, with a result for each delivery. Never rejects. */
export function sendDeliveries(deps: WorkerDeps, sending: Sending, record: (ended: Ended) => Promise<void>): Promise<void> {
  const span = openSpan('deliver', {
    role: 'client',
    parent: null,
    attributes: { 'market_state.delivery_id': sending.deliveries[0]?.deliveryId ?? '' },
  });
  return insideTrace(span.context, () => sendTraced(deps, sending, { record, span }));
}

async function sendTraced(
  deps: WorkerDeps,
  sending: Sending,
  { record, span }: { readonly record: (ended: Ended) => Promise<void>; readonly span: OpenSpan },
): Promise<void> {
  const { slots, clock, pace, logger, metrics } = deps;
  const { queue, passes } = sending;
  const cut = new AbortController();
  const end = slots.begin(queue.isSlow, () => cut.abort());
  /** Neither recorded nor put off yet. */
  const open = new Map<ClaimedDelivery, ReservedCredit | undefined>(sending.deliveries.map((delivery) => [delivery, undefined]));
  let failure: unknown;
  try {
    for (const delivery of sending.deliveries.filter(({ isPaid }) => isPaid)) {
      const credit = await deps.credits.hold(delivery.tenantId);
      if (credit !== undefined) open.set(delivery, credit);
      else {
        open.delete(delivery);
        await hold(deps, queue, delivery, clock());
      }
    }
    if (open.size === 0) return;
    const startedMs = clock();
    for (const { dueMs } of open.keys()) metrics.waited(Math.max(0, startedMs - dueMs) / 1_000);
    const result = await attempt(deps, { ...sending, deliveries: [...open.keys()] }, { startedMs, signal: cut.signal });
    end();
    const ended = resultsOf([...open.keys()], result);
    const made = 'postponedUntilMs' in result ? undefined : result;
    if (made !== undefined) {
      metrics.attempted(made);
      span.set({ 'market_state.outcome': made.class });
      if (!isOk(made)) failure = { code: made.class };
    }
    const counted = countedOf([...ended.keys()]);
    const recorded = [...ended].map(async ([delivery, own]) => {
      const credit = open.get(delivery);
      const counting = { ...delivery, inDigest: delivery !== counted };
      await record({ queue, delivery: counting, passes, attemptId: newId('att'), startedMs, result: own });
      open.delete(delivery);
      if (own.class === 'ok') credit?.charge(delivery.deliveryId);
      else credit?.cancel();
    });
    await Promise.allSettled(recorded);
    // Rejects like the first that failed.
    await Promise.all(recorded);
    if ('postponedUntilMs' in result) await putOffAll(deps, queue, open, result.postponedUntilMs);
  } catch (error) {
    logger.error({ err: error, endpoint_id: queue.endpointId }, 'sending a message failed; will retry');
    // If this fails too, the claims expire.
    await putOffAll(deps, queue, open, clock() + AWAY_MS / pace.hurry).catch(() => undefined);
    failure = error;
  } finally {
    end();
    span.end(failure);
  }
}

/** Results by delivery, omitting those that wait. */
function resultsOf(deliveries: readonly ClaimedDelivery[], result: AttemptResult | Postponed): ReadonlyMap<ClaimedDelivery, AttemptResult> {
  const ended = new Map<ClaimedDelivery, AttemptResult>();
  for (const delivery of deliveries) {
    if (!hasBody(delivery)) ended.set(delivery, notSent('body_gone'));
    else if (!('postponedUntilMs' in result)) ended.set(delivery, result);
    else if (isTest(delivery)) ended.set(delivery, result.ofTests);
  }
  return ended;
}

/** An attempt counts once, and as a test only if it has no other message. */
function countedOf(deliveries: readonly ClaimedDelivery[]): ClaimedDelivery | undefined {
  const sent = deliveries.filter(hasBody);
  return sent.find((delivery) => !isTest(delivery)) ?? sent[0];
}

async function putOffAll(
  deps: WorkerDeps,
  queue: LockedQueue,
  open: Map<ClaimedDelivery, ReservedCredit | undefined>,
  dueMs: number,
): Promise<void> {
  for (const [delivery, credit] of open) {
    credit?.cancel();
    open.set(delivery, undefined);
  }
  for (const delivery of open.keys()) await putOff(deps, queue, delivery, { status: 'waiting', dueMs, heldSinceMs: delivery.heldSinceMs });
}

const hasBody = ({ message }: ClaimedDelivery): boolean => message.data !== null;

const isTest = ({ message }: ClaimedDelivery): boolean => message.event_kind === 'webhook.test';

async function attempt(
  deps: WorkerDeps,
  sending: Sending,
  { startedMs, signal }: { readonly startedMs: number; readonly signal: AbortSignal },
): Promise<AttemptResult | Postponed> {
  const { queue, secrets } = sending;
  const messages = sending.deliveries.filter(hasBody).map(({ message }) => message);
  const [message] = messages;
  if (message === undefined) return notSent('body_gone');
  if (queue.kind !== 'webhook') return sendNotices(deps, { queue, secrets, messages, signal });
  const opened = openSecrets(deps, sending);
  if (opened === undefined) return notSent('secret_unreadable');
  const body = bodyOf(message);
  const timestampSeconds = Math.floor(startedMs / 1_000);
  const signed: SignatureHeaders = signWebhook({ id: message.message_id, timestampSeconds, body }, opened);
  const headers = { 'content-type': 'application/json', 'user-agent': 'market-state-webhooks', ...signed };
  return deps.send({ url: queue.url, headers, body, owner: queue.endpointId, signal });
}

/** All or nothing: a receiver that knows only one secret must find its signature. */
function openSecrets({ sealingKeys, logger }: WorkerDeps, { queue: { endpointId }, secrets }: Sending): readonly string[] | undefined {
  try {
    const opened = secrets.map(({ sealed }) => openSecret(sealed, { keys: sealingKeys, endpointId }));
    return opened.length === 0 ? undefined : opened;
  } catch (error) {
    logger.error({ err: error, endpoint_id: endpointId }, 'a signing secret cannot be opened');
    return undefined;
  }
}

/** Waits for credits for at most a day. */
async function hold(deps: WorkerDeps, queue: LockedQueue, delivery: ClaimedDelivery, nowMs: number): Promise<void> {
  const heldSinceMs = delivery.heldSinceMs ?? nowMs;
  if (nowMs - heldSinceMs >= HELD_MS_MAX) return putOff(deps, queue, delivery, { status: 'not_paid', dueMs: null, heldSinceMs });
  return putOff(deps, queue, delivery, { status: 'held_no_credits', dueMs: nowMs + HELD_RETRY_MS / deps.pace.hurry, heldSinceMs });
}

interface Wait {
  readonly status: 'waiting' | 'held_no_credits' | 'not_paid';
  /** Null: not sent any more. */
  readonly dueMs: number | null;
  readonly heldSinceMs: number | null;
}

async function putOff(
  { pool, notifier, worker, clock, pace }: WorkerDeps,
  queue: LockedQueue,
  delivery: ClaimedDelivery,
  wait: Wait,
): Promise<void> {
  const wakeUps = await inTransaction(pool, async (client) => {
    const [locked] = await lockQueues(client, [delivery.endpointId]);
    await releaseClaim(client, delivery, { worker, ...wait });
    if (locked === undefined) return [];
    const advance = { endpointId: delivery.endpointId, slots: slotsOf(queue), notBeforeMs: 0, isAnswered: false };
    return advanceQueues(client, [advance], { nowMs: clock(), claimMs: pace.claimMs });
  });
  await notifier.notify(wakeUps);
}

type NoticeDeps = MailDeps & { readonly send: Sender['send'] };

interface SendingNotices {
  readonly queue: LockedQueue;
  readonly secrets: readonly StoredSecret[];
  /** With data; several are a digest. */
  readonly messages: readonly MessageRow[];
  readonly signal: AbortSignal;
}

/** Makes one attempt at a destination other than a webhook. */
async function sendNotices(deps: NoticeDeps, { queue, secrets, messages, signal }: SendingNotices): Promise<AttemptResult | Postponed> {
  const { kind, endpointId, url, chatId } = queue;
  const notices = messages.map((message) => noticeOf(message, deps.publicBaseUrl));
  if (kind === 'webhook') throw new RangeError('a webhook gets signed messages');
  if (kind === 'email') return sendEmail(deps, queue, notices);
  const credential = openCredential(deps, secrets, endpointId);
  if (credential === undefined) return notSent('secret_unreadable');
  const api = DESTINATION_APIS[kind];
  const composed = api.compose(notices, { endpointId, url, chatId, credential });
  const sent = await deps.send({
    url: composed.url,
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'market-state-alerts' },
    body: Buffer.from(JSON.stringify(composed.body)),
    owner: endpointId,
    signal,
  });
  const answer = { ...sent, snippet: withoutCredential(sent, credential, url) };
  if (isOk(answer) || answer.status === undefined) return answer;
  return { ...answer, ...api.refusalOf(answer) };
}

function openCredential({ sealingKeys: keys }: NoticeDeps, [stored]: readonly StoredSecret[], endpointId: string): string | undefined {
  try {
    return stored === undefined ? undefined : openSecret(stored.sealed, { keys, endpointId });
  } catch {
    return undefined;
  }
}

const SECRET_LENGTH_MIN = 6;

/** An answer may quote the request, or any part of it that is not public. Numbers are public ids, such as a bot's. */
function withoutCredential({ snippet }: SendResult, credential: string, publicUrl: string): string {
  const parts = [credential, ...credential.split(/[/?&=:]/)];
  const secrets = parts.filter((part) => part.length >= SECRET_LENGTH_MIN && /\D/.test(part) && !publicUrl.includes(part));
  return secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), snippet);
}
