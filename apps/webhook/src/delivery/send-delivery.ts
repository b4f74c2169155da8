import { inTransaction } from '@market-state/postgres';
import { insideTrace, openSpan, type OpenSpan } from '@market-state/tracing';
import { openSecret, type SignatureHeaders, signWebhook } from '@market-state/webhook-signing';
import type { Postponed } from '../destinations/email';
import { sendNotices } from '../destinations/send-notices';
import { newId } from '../ids';
import { bodyOf } from '../messages/body';
import { type ClaimedDelivery, releaseClaim } from '../store/deliveries';
import { advanceQueues, type LockedQueue, lockQueues } from '../store/endpoint-queues';
import { type AttemptResult, type Ended, isOk, notSent } from './attempt-result';
import { type Claim, slotsOf } from './claim-deliveries';
import type { ReservedCredit } from './credits';
import type { WorkerDeps } from './worker-deps';

const HOUR_MS = 3_600_000;
const HELD_RETRY_MS = 60_000;
const HELD_MS_MAX = 24 * HOUR_MS;
/** Delay of a delivery that could not be tried because account or the database is unavailable. */
const AWAY_MS = 60_000;

/** One delivery, or those of a digest. */
type Sending = Claim;

/** Makes one attempt in its own trace and records the result for each delivery. Never rejects. */
export function sendDeliveries(deps: WorkerDeps, sending: Sending, record: (ended: Ended) => Promise<void>): Promise<void> {
  const span = openSpan('deliver', {
    role: 'client',
    parent: null,
    attributes: { 'market_state.delivery_id': sending.deliveries[0]?.deliveryId ?? '' },
  });
  return insideTrace(span.context, () => sendTraced(deps, sending, { record, span }));
}

interface Paid {
  readonly delivery: ClaimedDelivery;
  readonly credit: ReservedCredit | undefined;
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
  const paid: Paid[] = [];
  let failure: unknown;
  try {
    for (const delivery of sending.deliveries) {
      const credit = delivery.isPaid ? await deps.credits.hold(delivery.tenantId) : undefined;
      if (delivery.isPaid && credit === undefined) await hold(deps, queue, delivery, clock());
      else paid.push({ delivery, credit });
    }
    if (paid.length === 0) return;
    const startedMs = clock();
    for (const { delivery } of paid) metrics.waited(Math.max(0, startedMs - delivery.dueMs) / 1_000);
    const deliveries = paid.map(({ delivery }) => delivery);
    const result = await attempt(deps, { ...sending, deliveries }, { startedMs, signal: cut.signal });
    end();
    if ('postponedUntilMs' in result) {
      await cancelAll(paid);
      for (const delivery of deliveries) await putOff(deps, queue, delivery, waitUntil(delivery, result.postponedUntilMs));
      return;
    }
    metrics.attempted(result);
    span.set({ 'market_state.outcome': result.class });
    if (!isOk(result)) failure = { code: result.class };
    await Promise.all(
      paid.splice(0).map(async ({ delivery, credit }) => {
        const own = hasBody(delivery) ? result : notSent('body_gone');
        try {
          await record({ queue, delivery, passes, attemptId: newId('att'), startedMs, result: own });
        } catch (error) {
          paid.push({ delivery, credit });
          throw error;
        }
        if (own.class === 'ok') credit?.charge(delivery.deliveryId);
        else credit?.cancel();
      }),
    );
  } catch (error) {
    logger.error({ err: error, endpoint_id: queue.endpointId }, 'sending a message failed; will retry');
    const dueMs = clock() + AWAY_MS / pace.hurry;
    const left = paid.length > 0 ? paid.map(({ delivery }) => delivery) : sending.deliveries;
    await cancelAll(paid);
    // If this fails too, the claim expires.
    for (const delivery of left) await putOff(deps, queue, delivery, waitUntil(delivery, dueMs)).catch(() => undefined);
    failure = error;
  } finally {
    end();
    span.end(failure);
  }
}

function cancelAll(paid: readonly Paid[]): void {
  for (const { credit } of paid) credit?.cancel();
}

function waitUntil({ heldSinceMs }: ClaimedDelivery, dueMs: number): Wait {
  return { status: 'waiting', dueMs, heldSinceMs };
}

const hasBody = ({ message }: ClaimedDelivery): boolean => message.data !== null;

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
