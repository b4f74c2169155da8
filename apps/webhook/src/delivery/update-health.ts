import type { PoolClient } from 'pg';
import { notifiedSymbols } from '../endpoints/subscriptions';
import { type MessageDraft, OPERATIONAL_META } from '../messages/message';
import type { AfterAttempt } from '../store/attempts';
import { disableEndpoint, endWaiting, type Failing, type FailureReason, noteFailures, noteSuccesses } from '../store/endpoint-health';
import { type LockedQueue, updateQueues } from '../store/endpoint-queues';
import { bumpRuleVersions } from '../store/evaluation';
import { type Ended, GONE, isOk, isOwnFault } from './attempt-result';
import { afterAttempt, paused } from './retry-policy';

const FAILING_MS = 120 * 3_600_000;
const FAILED_MESSAGES_MIN = 2;
/** Endpoints whose last attempt took longer count as slow. */
const SLOW_MS = 2_000;

export interface Written extends Ended {
  readonly after: AfterAttempt;
}

interface QueueHealth {
  readonly queue: LockedQueue;
  readonly written: readonly Written[];
}

export interface QueueAfter extends QueueHealth {
  readonly drafts: readonly MessageDraft[];
}

/** Disabling an endpoint or notifying its owner requires processing it separately. */
export class MustBeAlone extends Error {
  override readonly name = 'MustBeAlone';
}

/**
 * Ignores attempts that this service could not send.
 * @param mayDisable true if only this queue is locked
 * @throws MustBeAlone if an endpoint must be disabled but `mayDisable` is false
 */
export async function updateHealth(
  client: PoolClient,
  queues: readonly QueueHealth[],
  { nowMs, mayDisable }: { readonly nowMs: number; readonly mayDisable: boolean },
): Promise<QueueAfter[]> {
  const after = queues.map((one) => fare(one, nowMs));
  const made = after.flatMap((one) => (one.hasFared ? [one.queue] : []));
  if (made.length > 0) await updateQueues(client, made);
  await noteAnswers(client, queues, nowMs);
  const disabled = new Map<string, MessageDraft[]>();
  for (const failed of inRounds(queues.flatMap(failuresOf), ({ queue }) => queue.endpointId)) {
    const noted = await noteFailures(client, failed.map(noteOf));
    for (const one of failed) {
      const failing = noted.get(one.queue.endpointId);
      const reason = failing && reasonToDisable(failing, one, nowMs);
      if (reason === undefined) continue;
      if (!mayDisable) throw new MustBeAlone('an endpoint must be disabled');
      const { endpointId, urlRevision } = one.queue;
      const symbols = await disableEndpoint(client, { endpointId, urlRevision, reason, nowMs });
      if (symbols === undefined) continue;
      await bumpRuleVersions(client, notifiedSymbols({ symbols }));
      await endWaiting(client, endpointId, { status: 'endpoint_disabled', nowMs });
      disabled.set(endpointId, [...(disabled.get(endpointId) ?? []), disabledDraft(one.queue, reason, nowMs)]);
    }
  }
  return after.map(({ queue, written }) => {
    const drafts = disabled.get(queue.endpointId);
    return { queue: drafts === undefined ? queue : { ...queue, status: 'disabled' }, written, drafts: drafts ?? [] };
  });
}

function fare({ queue, written }: QueueHealth, nowMs: number): QueueHealth & { readonly hasFared: boolean } {
  const made = written.filter((one) => wasMade(one) && !one.delivery.inDigest);
  const last = made.at(-1);
  if (last === undefined) return { queue, written, hasFared: false };
  let { breaker } = queue;
  for (const { startedMs, result } of made)
    breaker =
      result.pauseMs === undefined
        ? afterAttempt(breaker, { startedMs, nowMs, isOk: isOk(result) })
        : paused(breaker, nowMs + result.pauseMs);
  const isSlow = !isOk(last.result) || last.result.durationMs > SLOW_MS;
  return { queue: { ...queue, breaker, isSlow }, written, hasFared: true };
}

async function noteAnswers(client: PoolClient, queues: readonly QueueHealth[], nowMs: number): Promise<void> {
  for (const isTest of [true, false]) {
    const answered = queues.filter(({ queue, written }) =>
      written.some((one) => isOk(one.result) && isTestOf(one) === isTest && one.queue.urlRevision === queue.urlRevision),
    );
    if (answered.length > 0)
      await noteSuccesses(
        client,
        answered.map(({ queue }) => queue),
        { isTest, nowMs },
      );
  }
}

function failuresOf({ written }: QueueHealth): Written[] {
  return written.filter((one) => wasMade(one) && !one.delivery.inDigest && !isOk(one.result) && !isTestOf(one));
}

function noteOf({ queue: { endpointId, urlRevision }, delivery: { deliveryId }, attemptId, startedMs }: Written) {
  return { endpointId, urlRevision, deliveryId, attemptId, startedMs };
}

const wasMade = ({ result }: Ended): boolean => !isOwnFault(result.class);

const isTestOf = ({ delivery }: Ended): boolean => delivery.message.event_kind === 'webhook.test';

function reasonToDisable({ messages, sinceMs }: Failing, { result }: Written, nowMs: number): FailureReason | undefined {
  if (result.isFinal === 'destination') return 'destination_refused';
  if (result.status === GONE) return 'gone_410';
  return messages >= FAILED_MESSAGES_MIN && nowMs - sinceMs >= FAILING_MS ? 'failing_120h' : undefined;
}

/** Notifies the tenant's other endpoints that one was disabled. */
export function disabledDraft(
  { tenantId, endpointId }: Pick<LockedQueue, 'tenantId' | 'endpointId'>,
  reason: string,
  nowMs: number,
): MessageDraft {
  return {
    tenantId,
    eventKind: 'endpoint.disabled',
    occasion: `endpoint.disabled ${endpointId} ${nowMs}`,
    symbol: '',
    data: { endpoint_id: endpointId, reason, disabled_at: new Date(nowMs).toISOString() },
    meta: OPERATIONAL_META,
    credits: 0,
    exceptEndpointId: endpointId,
  };
}

/** The first item of each key, then the second of each, and so on. */
export function inRounds<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const rounds: T[][] = [];
  const seen = new Map<string, number>();
  for (const item of items) {
    const round = seen.get(keyOf(item)) ?? 0;
    seen.set(keyOf(item), round + 1);
    rounds[round] = [...(rounds[round] ?? []), item];
  }
  return rounds;
}
