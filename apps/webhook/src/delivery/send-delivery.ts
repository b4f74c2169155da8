import { inTransaction } from '@market-state/postgres';
import { insideTrace, openSpan, type OpenSpan } from '@market-state/tracing';
import { openSecret, type SignatureHeaders, signWebhook } from '@market-state/webhook-signing';
import { newId } from '../ids';
import { bodyOf } from '../messages/body';
import { type ClaimedDelivery, releaseClaim } from '../store/deliveries';
import { advanceQueues, lockQueues } from '../store/endpoint-queues';
import { type AttemptResult, type Ended, isOk, notSent } from './attempt-result';
import { type Claim, PER_ENDPOINT } from './claim-deliveries';
import type { ReservedCredit } from './credits';
import type { WorkerDeps } from './worker-deps';

const HOUR_MS = 3_600_000;
const HELD_RETRY_MS = 60_000;
const HELD_MS_MAX = 24 * HOUR_MS;
/** Delay of a delivery that could not be tried because account or the database is unavailable. */
const AWAY_MS = 60_000;

type Sending = Omit<Claim, 'deliveries'> & { readonly delivery: ClaimedDelivery };

/** Makes one attempt in its own trace and records the result. Never rejects. */
export function sendDelivery(deps: WorkerDeps, sending: Sending, record: (ended: Ended) => Promise<void>): Promise<void> {
  const span = openSpan('deliver', {
    role: 'client',
    parent: null,
    attributes: { 'market_state.delivery_id': sending.delivery.deliveryId },
  });
  return insideTrace(span.context, () => sendTraced(deps, sending, { record, span }));
}

async function sendTraced(
  deps: WorkerDeps,
  sending: Sending,
  { record, span }: { readonly record: (ended: Ended) => Promise<void>; readonly span: OpenSpan },
): Promise<void> {
  const { slots, clock, pace, logger, metrics } = deps;
  const { queue, delivery, passes } = sending;
  const cut = new AbortController();
  const end = slots.begin(queue.isSlow, () => cut.abort());
  let credit: ReservedCredit | undefined;
  let failure: unknown;
  try {
    if (delivery.isPaid) {
      credit = await deps.credits.hold(delivery.tenantId);
      if (credit === undefined) return await hold(deps, delivery, clock());
    }
    const startedMs = clock();
    metrics.waited(Math.max(0, startedMs - delivery.dueMs) / 1_000);
    const result = await attempt(deps, sending, { startedMs, signal: cut.signal });
    end();
    metrics.attempted(result);
    span.set({ 'market_state.outcome': result.class });
    if (!isOk(result)) failure = { code: result.class };
    await record({ queue, delivery, passes, attemptId: newId('att'), startedMs, result });
    if (result.class === 'ok') credit?.charge(delivery.deliveryId);
    else credit?.cancel();
    credit = undefined;
  } catch (error) {
    logger.error({ err: error, delivery_id: delivery.deliveryId }, 'sending a message failed; will retry');
    credit?.cancel();
    const dueMs = clock() + AWAY_MS / pace.hurry;
    // If this fails too, the claim expires.
    await putOff(deps, delivery, { status: 'waiting', dueMs, heldSinceMs: delivery.heldSinceMs }).catch(() => undefined);
    failure = error;
  } finally {
    end();
    span.end(failure);
  }
}

async function attempt(
  deps: WorkerDeps,
  sending: Sending,
  { startedMs, signal }: { readonly startedMs: number; readonly signal: AbortSignal },
): Promise<AttemptResult> {
  const { queue, delivery } = sending;
  if (delivery.message.data === null) return notSent('body_gone');
  const secrets = openSecrets(deps, sending);
  if (secrets === undefined) return notSent('secret_unreadable');
  const body = bodyOf(delivery.message);
  const timestampSeconds = Math.floor(startedMs / 1_000);
  const signed: SignatureHeaders = signWebhook({ id: delivery.message.message_id, timestampSeconds, body }, secrets);
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
async function hold(deps: WorkerDeps, delivery: ClaimedDelivery, nowMs: number): Promise<void> {
  const heldSinceMs = delivery.heldSinceMs ?? nowMs;
  if (nowMs - heldSinceMs >= HELD_MS_MAX) return putOff(deps, delivery, { status: 'not_paid', dueMs: null, heldSinceMs });
  return putOff(deps, delivery, { status: 'held_no_credits', dueMs: nowMs + HELD_RETRY_MS / deps.pace.hurry, heldSinceMs });
}

interface Wait {
  readonly status: 'waiting' | 'held_no_credits' | 'not_paid';
  /** Null: not sent any more. */
  readonly dueMs: number | null;
  readonly heldSinceMs: number | null;
}

async function putOff({ pool, notifier, worker, clock, pace }: WorkerDeps, delivery: ClaimedDelivery, wait: Wait): Promise<void> {
  const wakeUps = await inTransaction(pool, async (client) => {
    const [queue] = await lockQueues(client, [delivery.endpointId]);
    await releaseClaim(client, delivery, { worker, ...wait });
    if (queue === undefined) return [];
    const advance = { endpointId: delivery.endpointId, slots: PER_ENDPOINT, notBeforeMs: 0, isAnswered: false };
    return advanceQueues(client, [advance], { nowMs: clock(), claimMs: pace.claimMs });
  });
  await notifier.notify(wakeUps);
}
