import type { SendResult } from '@market-state/guarded-http';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { symbolsToldOf } from '../endpoints/topics';
import { newId } from '../ids';
import type { Ring } from '../lanes/ring';
import type { MessageDraft } from '../messages/draft';
import { recordMessages } from '../messages/record-messages';
import { insertAttempt } from '../store/attempts';
import type { ClaimedDelivery } from '../store/deliveries';
import { disableEndpoint, type Failing, noteFailure, noteSuccess } from '../store/endpoint-health';
import { endWaiting } from '../store/endpoint-standings';
import { bumpRuleVersions } from '../store/rule-versions';
import { advanceLane, lockLane, type LockedLane, updateLane } from '../store/lanes';
import { takePositions } from '../store/messages';
import { afterAttempt } from './breaker';
import { waitAfter } from './schedule';
import type { WorkerDeps } from './worker-deps';

const GONE = 410;
const FAILING_MS = 120 * 3_600_000;
const FAILED_MESSAGES_MIN = 2;
/** Endpoints whose last attempt took longer are slow, milliseconds. */
const SLOW_MS = 2_000;
/** Nothing is told of these when they fail. */
const OPERATIONAL: ReadonlySet<string> = new Set(['webhook.test', 'endpoint.disabled', 'message.exhausted']);

/** An attempt and its end. */
export interface Attempted {
  readonly startedMs: number;
  readonly result: SendResult;
}

/** Writes, in one transaction, the receipt and what it means for delivery, lane and endpoint. */
export async function recordResult(deps: WorkerDeps, lane: LockedLane, delivery: ClaimedDelivery, attempted: Attempted): Promise<void> {
  const { pool, bell } = deps;
  const rings = await inTransaction(pool, (client) => write(client, deps, { lane, delivery, attempted }));
  await bell.ring(rings);
}

interface Facts {
  readonly lane: LockedLane;
  readonly delivery: ClaimedDelivery;
  readonly attempted: Attempted;
}

async function write(client: PoolClient, deps: WorkerDeps, facts: Facts): Promise<Ring[]> {
  const { lane, delivery, attempted } = facts;
  const { startedMs, result } = attempted;
  const { endpointId, tenantId, urlRevision } = lane;
  const isOk = result.class === 'ok';
  const nowMs = deps.clock();
  const waitMs = isOk ? undefined : waitOf(deps, facts);
  const isTest = delivery.message.event_kind === 'webhook.test';
  const drafts: MessageDraft[] = [];
  const mayTell = !isOk && !isTest && (waitMs === undefined || result.status === GONE);
  // Messages are ordered before lanes are locked, as everywhere.
  if (mayTell) await takePositions(client, new Map([[tenantId, 0]]));
  const current = await lockLane(client, endpointId);
  const attemptId = newId('att');
  await insertAttempt(client, delivery, {
    attemptId,
    worker: deps.worker,
    startedMs,
    durationMs: Math.round(result.durationMs),
    status: result.status ?? 0,
    outcome: result.class,
    snippet: result.snippet,
    testTarget: result.testTarget,
    nowMs,
    nextDueMs: waitMs === undefined ? null : nowMs + waitMs,
  });
  if (current === undefined) return [];
  const breaker = afterAttempt(current.breaker, { startedMs, nowMs, isOk });
  await updateLane(client, { endpointId, breaker, isSlow: !isOk || result.durationMs > SLOW_MS });
  if (isOk) await noteSuccess(client, { endpointId, urlRevision, isTest, nowMs });
  else if (!isTest) {
    const failing = await noteFailure(client, { endpointId, urlRevision, deliveryId: delivery.deliveryId, attemptId, startedMs });
    const reason = failing && reasonToDisable(failing, result, nowMs);
    const symbols = reason && (await disableEndpoint(client, { endpointId, urlRevision, reason, nowMs }));
    if (reason !== undefined && symbols !== undefined) {
      await bumpRuleVersions(client, symbolsToldOf({ symbols }));
      await endWaiting(client, endpointId, { status: 'endpoint_disabled', nowMs });
      drafts.push(disabledDraft(lane, reason, nowMs));
    }
  }
  if (mayTell && waitMs === undefined && !OPERATIONAL.has(delivery.message.event_kind)) drafts.push(exhaustedDraft(facts));
  const rings = await advanceLane(client, endpointId, {
    nowMs,
    claimMs: deps.pace.claimMs,
    notBeforeMs: breaker.untilMs,
    isAnswered: false,
  });
  const recorded = await recordMessages(client, drafts, nowMs);
  return [...rings, ...recorded.rings];
}

function reasonToDisable({ messages, sinceMs }: Failing, { status }: SendResult, nowMs: number): 'gone_410' | 'failing_120h' | undefined {
  if (status === GONE) return 'gone_410';
  return messages >= FAILED_MESSAGES_MIN && nowMs - sinceMs >= FAILING_MS ? 'failing_120h' : undefined;
}

function waitOf({ random, pace }: WorkerDeps, { delivery, attempted: { result } }: Facts): number | undefined {
  const waitMs = waitAfter({
    step: delivery.scheduleStep,
    status: result.status ?? 0,
    outcome: result.class,
    retryAfterMs: result.retryAfterSeconds === undefined ? undefined : result.retryAfterSeconds * 1_000,
    random: random(),
  });
  return waitMs === undefined ? undefined : Math.ceil(waitMs / pace.hurry);
}

function disabledDraft({ tenantId, endpointId }: LockedLane, reason: string, nowMs: number): MessageDraft {
  return {
    tenantId,
    eventKind: 'endpoint.disabled',
    occasion: `endpoint.disabled ${endpointId} ${nowMs}`,
    symbol: '',
    data: { endpoint_id: endpointId, reason, disabled_at: new Date(nowMs).toISOString() },
    meta: {},
    credits: 0,
    exceptEndpointId: endpointId,
  };
}

function exhaustedDraft({ delivery, attempted: { result } }: Facts): MessageDraft {
  const { deliveryId, endpointId, tenantId, message } = delivery;
  return {
    tenantId,
    eventKind: 'message.exhausted',
    occasion: `message.exhausted ${deliveryId}`,
    symbol: '',
    data: { endpoint_id: endpointId, message_id: message.message_id, event_kind: message.event_kind, last_class: result.class },
    meta: {},
    credits: 0,
    exceptEndpointId: endpointId,
  };
}
