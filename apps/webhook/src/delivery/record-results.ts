import type { PoolClient } from 'pg';
import { symbolsToldOf } from '../endpoints/topics';
import { creditsOf } from '../messages/credits';
import type { MessageDraft } from '../messages/draft';
import { recordMessages } from '../messages/record-messages';
import { type AfterAttempt, insertAttempt } from '../store/attempts';
import { disableEndpoint, type Failing, noteFailure, noteSuccess } from '../store/endpoint-health';
import { endWaiting } from '../store/endpoint-standings';
import { advanceLane, lockLane, type LockedLane, updateLane } from '../store/lanes';
import { takePositions } from '../store/messages';
import { bumpRuleVersions } from '../store/rule-versions';
import { type AttemptResult, type Ended, isOwnFault } from './attempt-result';
import { afterAttempt, positionOf } from './breaker';
import { type Claim, inClaimingTransaction, PER_ENDPOINT, type Room } from './claim-next';
import { waitAfter } from './schedule';
import { disabledDraft, exhaustedDraft } from './tell-owner';
import type { WorkerDeps } from './worker-deps';

const GONE = 410;
const FAILING_MS = 120 * 3_600_000;
const FAILED_MESSAGES_MIN = 2;
/** Endpoints whose last attempt took longer are slow, milliseconds. */
const SLOW_MS = 2_000;
/** A lane passes its places on so often, then it is rung at the end of the queue: workers elsewhere wait too. */
const PASSES_MAX = 16;
/** The same where another lane of its tenant waits for them. */
const PASSES_WAITED_FOR = 4;

interface Written extends Ended {
  readonly after: AfterAttempt;
}

/**
 * Writes, in one transaction, the receipts of attempts at one endpoint and what they mean for deliveries, lane and endpoint. Places that
 * they leave are passed on to what is due next, unless somebody else waits for one.
 * @param isLast the process takes up no more
 */
export async function recordResults(deps: WorkerDeps, ended: readonly Ended[], isLast: boolean): Promise<Claim | undefined> {
  const [first] = ended;
  if (first === undefined) return undefined;
  const { endpointId, tenantId } = first.lane;
  const { rings, claim } = await inClaimingTransaction(deps, async (client, claimNext) => {
    const nowMs = deps.clock();
    const plans = ended.map((one) => ({ ...one, waitMs: one.result.class === 'ok' ? undefined : waitOf(deps, one) }));
    // Messages are ordered before lanes are locked, as everywhere; a failure may have to be told.
    if (plans.some(({ result }) => result.class !== 'ok')) await takePositions(client, new Map([[tenantId, 0]]));
    const lane = await lockLane(client, endpointId);
    const written: Written[] = [];
    for (const plan of plans) written.push(await writeReceipt(client, deps, { ...plan, nowMs }));
    if (lane === undefined) return { rings: [], claim: undefined };
    const after = await updateHealth(client, lane, written, nowMs);
    const exhausted = written.filter((one) => one.after.isExhausted && creditsOf(one.delivery.message.event_kind) > 0).map(exhaustedDraft);
    const passes = Math.max(...ended.map((one) => one.passes)) + 1;
    const passesMax = deps.turns.isWaitedFor(tenantId) ? PASSES_WAITED_FOR : PASSES_MAX;
    const isOpen = after.lane.status === 'live' && positionOf(after.lane.breaker, nowMs) === 'closed';
    const mayPass = isOpen && !isLast && passes <= passesMax && !deps.places.isWaitedFor();
    const next = mayPass ? await claimNext(after.lane, roomLeft(deps, written, nowMs), passes) : undefined;
    const advanced = await advanceLane(client, endpointId, {
      nowMs,
      claimMs: deps.pace.claimMs,
      places: after.lane.breaker.untilMs > 0 ? 1 : PER_ENDPOINT,
      notBeforeMs: after.lane.breaker.untilMs,
      isAnswered: false,
    });
    const recorded = await recordMessages(client, [...after.drafts, ...exhausted], nowMs);
    return { rings: [...advanced, ...recorded.rings], claim: next };
  });
  await deps.bell.ring(rings);
  return claim;
}

async function writeReceipt(
  client: PoolClient,
  deps: WorkerDeps,
  { nowMs, waitMs, ...ended }: Ended & { readonly nowMs: number; readonly waitMs: number | undefined },
): Promise<Written> {
  const { attemptId, result, startedMs, delivery } = ended;
  const after = await insertAttempt(client, delivery, {
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
  return { ...ended, after };
}

/** Lane and endpoint after attempts at it, and what is told of that. What this service could not send says nothing of them. */
async function updateHealth(
  client: PoolClient,
  lane: LockedLane,
  written: readonly Written[],
  nowMs: number,
): Promise<{ readonly lane: LockedLane; readonly drafts: readonly MessageDraft[] }> {
  const { endpointId } = lane;
  const made = written.filter(({ result }) => !isOwnFault(result.class));
  const last = made.at(-1);
  if (last === undefined) return { lane, drafts: [] };
  let { breaker, status } = lane;
  for (const { startedMs, result } of made) breaker = afterAttempt(breaker, { startedMs, nowMs, isOk: result.class === 'ok' });
  const isSlow = last.result.class !== 'ok' || last.result.durationMs > SLOW_MS;
  await updateLane(client, { endpointId, breaker, isSlow });
  const drafts: MessageDraft[] = [];
  for (const isTest of [true, false]) {
    const answered = made.find((one) => one.result.class === 'ok' && isTestOf(one) === isTest && one.lane.urlRevision === lane.urlRevision);
    if (answered !== undefined) await noteSuccess(client, { endpointId, urlRevision: lane.urlRevision, isTest, nowMs });
  }
  for (const failed of made.filter((one) => one.result.class !== 'ok' && !isTestOf(one))) {
    const { delivery, attemptId, startedMs, result } = failed;
    const { urlRevision } = failed.lane;
    const failing = await noteFailure(client, { endpointId, urlRevision, deliveryId: delivery.deliveryId, attemptId, startedMs });
    const reason = failing && reasonToDisable(failing, result, nowMs);
    const symbols = reason && (await disableEndpoint(client, { endpointId, urlRevision, reason, nowMs }));
    if (reason === undefined || symbols === undefined) continue;
    status = 'disabled';
    await bumpRuleVersions(client, symbolsToldOf({ symbols }));
    await endWaiting(client, endpointId, { status: 'endpoint_disabled', nowMs });
    drafts.push(disabledDraft(lane, reason, nowMs));
  }
  return { lane: { ...lane, breaker, isSlow, status }, drafts };
}

const isTestOf = ({ delivery }: Ended): boolean => delivery.message.event_kind === 'webhook.test';

function reasonToDisable(
  { messages, sinceMs }: Failing,
  { status }: AttemptResult,
  nowMs: number,
): 'gone_410' | 'failing_120h' | undefined {
  if (status === GONE) return 'gone_410';
  return messages >= FAILED_MESSAGES_MIN && nowMs - sinceMs >= FAILING_MS ? 'failing_120h' : undefined;
}

/** As much as these attempts leave: neither their endpoint nor its tenant then has more under way than before. */
function roomLeft({ pace }: WorkerDeps, written: readonly Written[], nowMs: number): Room {
  const left = written.filter(({ after, delivery }) => after.isReleased && delivery.claimedMs > nowMs - pace.claimMs);
  return { total: left.length, tasks: left.filter(({ delivery }) => delivery.isTask).length };
}

function waitOf({ random, pace }: WorkerDeps, { delivery, result }: Ended): number | undefined {
  if (result.class === 'body_gone') return undefined;
  const waitMs = waitAfter({
    step: delivery.scheduleStep,
    status: result.status ?? 0,
    outcome: result.class,
    retryAfterMs: result.retryAfterSeconds === undefined ? undefined : result.retryAfterSeconds * 1_000,
    random: random(),
  });
  return waitMs === undefined ? undefined : Math.ceil(waitMs / pace.hurry);
}
