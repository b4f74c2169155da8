import type { SendResult } from '@market-state/guarded-http';
import { backoffMs, delay } from '@market-state/lifecycle';
import { isTransientDatabaseError } from '@market-state/postgres';
import { openSecret, type SignatureHeaders, signWebhook } from '@market-state/webhook-signing';
import type { HeldCredit } from '../charging/credits';
import { bodyOf } from '../messages/body';
import type { ClaimedDelivery } from '../store/deliveries';
import type { LockedLane } from '../store/lanes';
import { listSecrets } from '../store/secrets';
import { putOff } from './put-off';
import { recordResult } from './record-result';
import type { WorkerDeps } from './worker-deps';

const HOUR_MS = 3_600_000;
const HELD_RETRY_MS = 60_000;
const HELD_MS_MAX = 24 * HOUR_MS;
/** A message that this service could not send for its own reasons is tried again after so long, milliseconds. */
const OWN_FAULT_MS = 60_000;
const RECORD_TRIES = 8;

/** Makes one attempt at a claimed delivery and writes what came of it. Never rejects. */
export async function sendDelivery(deps: WorkerDeps, lane: LockedLane, delivery: ClaimedDelivery): Promise<void> {
  const { places, clock, pace, logger } = deps;
  const cut = new AbortController();
  const end = places.begin(lane.isSlow, () => cut.abort());
  let credit: HeldCredit | undefined;
  try {
    const nowMs = clock();
    if (delivery.isPaid) {
      credit = await deps.credits.hold(delivery.tenantId);
      if (credit === undefined) return await hold(deps, delivery, nowMs);
    }
    const { startedMs, result } = await attempt(deps, lane, delivery, cut.signal);
    end();
    deps.metrics.attempted(result);
    await persist(() => recordResult(deps, lane, delivery, { startedMs, result }));
    if (result.class === 'ok') credit?.charge(delivery.deliveryId);
    else credit?.cancel();
    credit = undefined;
  } catch (error) {
    logger.error({ err: error, delivery_id: delivery.deliveryId }, 'a message could not be sent; it is tried again');
    credit?.cancel();
    const dueMs = clock() + OWN_FAULT_MS / pace.hurry;
    // Should this fail too, the claim grows old.
    await putOff(deps, delivery, { status: 'waiting', dueMs, heldSinceMs: delivery.heldSinceMs }).catch(() => undefined);
  } finally {
    end();
  }
}

async function attempt(
  { pool, send, sealingKeys, clock }: WorkerDeps,
  { endpointId, url }: LockedLane,
  { message }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<{ readonly startedMs: number; readonly result: SendResult }> {
  const startedMs = clock();
  const sealed = await listSecrets(pool, [endpointId], startedMs);
  const secrets = sealed.map((secret) => openSecret(secret.sealed, { keys: sealingKeys, endpointId }));
  const body = bodyOf(message);
  const signed: SignatureHeaders = signWebhook({ id: message.message_id, timestampSeconds: Math.floor(startedMs / 1_000), body }, secrets);
  const headers = { 'content-type': 'application/json', 'user-agent': 'market-state-webhooks', ...signed };
  return { startedMs, result: await send({ url, headers, body, signal }) };
}

/** Waits for credits, a day at most. */
async function hold(deps: WorkerDeps, delivery: ClaimedDelivery, nowMs: number): Promise<void> {
  const heldSinceMs = delivery.heldSinceMs ?? nowMs;
  if (nowMs - heldSinceMs >= HELD_MS_MAX) return putOff(deps, delivery, { status: 'not_paid', dueMs: null, heldSinceMs });
  return putOff(deps, delivery, { status: 'held_no_credits', dueMs: nowMs + HELD_RETRY_MS / deps.pace.hurry, heldSinceMs });
}

/** A receipt that is lost costs the receiver a repeat: it is written again while the database is away. */
async function persist(write: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await write();
    } catch (error) {
      if (tried === RECORD_TRIES || !isTransientDatabaseError(error)) throw error;
      await delay(backoffMs(tried, { minMs: 50, maxMs: 2_000 }));
    }
  }
}
