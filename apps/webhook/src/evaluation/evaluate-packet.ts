import { type RuleInput, stepOnMissing, stepOnPacket, stepOnSilence, WINDOW_MS } from '@market-state/alert-rules';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { recordMessages } from '../messages/record-messages';
import { inSlices } from '../store/bulk-write';
import { holdCursor, holdRuleVersions, passPacket, type PacketCursor, ruleStatesStatement } from '../store/evaluation';
import { insertPayloads } from '../store/payloads';
import type { EvaluatorDeps } from './evaluator-deps';
import { draftPacket } from './fan-out';
import {
  allOf,
  both,
  type LoadedRule,
  loadSymbolRules,
  evaluateRules,
  type RuleEvaluation,
  subjectOf,
  type SymbolRules,
} from './symbol-rules';

/** Notices of older packets are marked late. */
const LATE_AFTER_MS = 900_000;
const SECOND_MS = 1_000;

/** The cursor moved: another evaluator processed this packet, so the cached rules are stale. */
export class CursorMoved extends Error {}

/**
 * One transaction with all effects. A packet processed before changes nothing.
 * @returns the symbol's updated cache
 * @throws CursorMoved if another evaluator was first; nothing is written
 */
export async function evaluatePacket(deps: EvaluatorDeps, held: SymbolRules, input: RuleInput): Promise<SymbolRules> {
  const { pool, inputDays, notifier, clock, metrics, logger } = deps;
  const { symbol, sequence, window_end_ms: windowEndMs } = input;
  if (windowEndMs <= held.cursor.windowEndMs) return held;
  if (sequence <= held.cursor.sequence) logger.warn({ symbol, sequence, before: held.cursor.sequence }, 'packet numbering restarted');
  const nowMs = clock();
  const late = nowMs - windowEndMs > LATE_AFTER_MS;
  const cursor: PacketCursor = { sequence, windowEndMs, seenMs: nowMs };
  await inputDays.ensure([windowEndMs]);
  const { current, evaluation, wakeUps, leftOut } = await inTransaction(pool, async (client) => {
    const version = await passPacket(client, { readSequence: held.cursor.sequence, cursor, input });
    if (version === undefined) throw new CursorMoved();
    const current = await rulesOf(client, symbol, held, version);
    const history = current.recent.before(input);
    const subject = subjectOf(input, late);
    const evaluateMissing = missingBefore(current.previous, windowEndMs, late);
    const evaluation = await evaluateAndWrite(client, symbol, current.rules, nowMs, (rules) => {
      const before = evaluateMissing?.(rules);
      const step = ({ rule, standing }: LoadedRule) => stepOnPacket(rule.live, standing, input, history);
      const onPacket = evaluateRules(before?.next ?? rules, step, subject, () => windowEndMs);
      return before === undefined ? onPacket : both(before, onPacket);
    });
    await insertPayloads(client, evaluation.payloads, nowMs);
    const drafts = await draftPacket(client, { input, previous: history(1), late, nowMs });
    // In one call, so that tenants are locked in a fixed order.
    return { current, evaluation, ...(await recordMessages(client, [...evaluation.drafts, ...drafts], nowMs)) };
  });
  await notifier.notify(wakeUps);
  metrics.leftOut(leftOut);
  metrics.evaluated(evaluation.next.length, Math.max(0, nowMs - windowEndMs) / SECOND_MS);
  count(deps, evaluation);
  current.recent.add(input);
  return { ...current, cursor, rules: evaluation.next, previous: input };
}

/** Writes each slice's changes while the next is evaluated. */
async function evaluateAndWrite(
  on: Queryable,
  symbol: string,
  rules: readonly LoadedRule[],
  nowMs: number,
  evaluate: (rules: readonly LoadedRule[]) => RuleEvaluation,
): Promise<RuleEvaluation> {
  const { results } = await inSlices(on, rules, (slice) => {
    const evaluation = evaluate(slice);
    return { result: evaluation, statement: ruleStatesStatement(symbol, evaluation.changed, nowMs) };
  });
  return allOf(results);
}

/** Evaluation of the span without packets before a window; undefined if there is none. */
function missingBefore(
  previous: RuleInput | undefined,
  untilMs: number,
  late: boolean,
): ((rules: readonly LoadedRule[]) => RuleEvaluation) | undefined {
  if (previous === undefined || untilMs - previous.window_end_ms <= WINDOW_MS) return undefined;
  const subject = subjectOf(previous, late);
  const found = ({ rule, standing }: LoadedRule) => stepOnMissing(rule.live, standing, previous, untilMs);
  const step = (held: LoadedRule) => found(held)?.step ?? { standing: held.standing, suppressed: false };
  return (rules) => evaluateRules(rules, step, subject, (held) => found(held)?.atMs ?? untilMs);
}

/** States are marked, and `feed_stale` may fire. */
export async function evaluateSilence(deps: EvaluatorDeps, held: SymbolRules, symbol: string): Promise<SymbolRules> {
  const { pool, notifier, clock } = deps;
  const nowMs = clock();
  const { previous: input } = held;
  if (input === undefined) return held;
  const subject = subjectOf(input, false);
  const evaluatorOf = ({ cursor }: SymbolRules) => {
    const step = ({ rule, standing }: LoadedRule) => stepOnSilence(rule.live, standing, { symbol, silentMs: nowMs - cursor.seenMs, nowMs });
    return (rules: readonly LoadedRule[]): RuleEvaluation => evaluateRules(rules, step, subject, () => nowMs);
  };
  if (evaluatorOf(held)(held.rules).changed.length === 0) return held;
  const { current, evaluation, wakeUps } = await inTransaction(pool, async (client) => {
    const current = await rulesOf(client, symbol, held, await holdRuleVersions(client, symbol));
    if (!(await holdCursor(client, symbol, current.cursor.sequence))) throw new CursorMoved();
    const evaluation = await evaluateAndWrite(client, symbol, current.rules, nowMs, evaluatorOf(current));
    await insertPayloads(client, evaluation.payloads, nowMs);
    return { current, evaluation, ...(await recordMessages(client, evaluation.drafts, nowMs)) };
  });
  await notifier.notify(wakeUps);
  count(deps, evaluation);
  return { ...current, rules: evaluation.next };
}

/** Cached rules, reloaded if their version has changed. */
async function rulesOf(client: Queryable, symbol: string, held: SymbolRules, version: string): Promise<SymbolRules> {
  return version === held.version ? held : loadSymbolRules(client, symbol, version, held.cursor);
}

function count({ metrics }: EvaluatorDeps, { transitions, suppressed }: RuleEvaluation): void {
  for (const { kind, phase } of transitions) metrics.transitioned(kind, phase);
  metrics.suppressed(suppressed);
}
