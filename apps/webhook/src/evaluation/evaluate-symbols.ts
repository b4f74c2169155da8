import { crc32 } from 'node:zlib';
import type { labeling } from '@market-state/contracts';
import { withAdvisoryLock, inTransaction, type Queryable } from '@market-state/postgres';
import { type RuleInput, stepOnMissing, stepOnPacket, stepOnSilence, WINDOW_MS } from '@market-state/alert-rules';
import {
  beginCursor,
  ensureRuleVersions,
  readCursor,
  holdCursor,
  holdRuleVersions,
  advanceCursor,
  type PacketCursor,
  ruleStatesStatement,
} from '../store/evaluation';
import { inputOf } from '../store/inputs';
import type { EvaluatorDeps } from './evaluator-deps';
import {
  loadSymbolRules,
  type SymbolRules,
  allOf,
  both,
  type LoadedRule,
  evaluateRules,
  type RuleEvaluation,
  subjectOf,
} from './symbol-rules';
import { recordMessages } from '../messages/record-messages';
import { inSlices } from '../store/bulk-write';
import { insertPayloads } from '../store/messages';
import { draftPacket } from './fan-out';

/** Concurrent symbols; each uses two connections. */
const AT_ONCE = 4;
const PAGE_SIZE = 100;
const PAGE = { fromWindowEndMs: 0, toWindowEndMs: 0, pageSize: PAGE_SIZE, pageToken: '', descending: false, asOfMs: 0 };
/** High half of a symbol's advisory lock; the low half is its digest. */
const LOCK_SPACE = 0x77680000;

interface SymbolsFollower {
  /** Hint that these symbols may have new packets. */
  wake(symbols: readonly string[]): void;
  /** A packet that labeling has pushed. */
  push(packet: labeling.PacketRecord): void;
  close(): Promise<void>;
}

export function followSymbols(deps: EvaluatorDeps): SymbolsFollower {
  const followers = new Map<string, SymbolFollower>();
  const waiting = new Set<string>();
  const working = new Map<string, Promise<void>>();
  const closing = new AbortController();

  function followerOf(symbol: string): SymbolFollower {
    const follower = followers.get(symbol) ?? followSymbol(deps, symbol, closing.signal);
    followers.set(symbol, follower);
    return follower;
  }

  function workOn(): void {
    for (const symbol of waiting) {
      if (closing.signal.aborted || working.size >= AT_ONCE) return;
      if (working.has(symbol)) continue;
      waiting.delete(symbol);
      const work = followerOf(symbol)
        .catchUp()
        .catch((error: unknown) => deps.logger.warn({ err: error, symbol }, 'processing packets failed; will retry'))
        .finally(() => {
          working.delete(symbol);
          workOn();
        });
      working.set(symbol, work);
    }
  }

  const wake = (symbols: readonly string[]): void => {
    for (const symbol of symbols) waiting.add(symbol);
    workOn();
  };
  return {
    wake,
    push(packet) {
      followerOf(packet.symbol).push(packet);
      wake([packet.symbol]);
    },
    async close() {
      closing.abort();
      await Promise.all(working.values());
    },
  };
}

interface SymbolFollower {
  push(packet: labeling.PacketRecord): void;
  catchUp(): Promise<void>;
}

function followSymbol(deps: EvaluatorDeps, symbol: string, closing: AbortSignal): SymbolFollower {
  let held: SymbolRules | undefined;
  let pushed: labeling.PacketRecord | undefined;

  async function load(): Promise<SymbolRules | undefined> {
    const cursor = (await readCursor(deps.pool, symbol)) ?? (await begin(deps, symbol));
    if (cursor === undefined) return undefined;
    await ensureRuleVersions(deps.pool, symbol);
    return loadSymbolRules(deps.pool, symbol, 'none yet', cursor);
  }

  async function evaluateListed(from: SymbolRules): Promise<SymbolRules> {
    let current = from;
    for (;;) {
      const { windowEndMs } = current.cursor;
      const records = await nextPackets(deps, symbol, windowEndMs);
      for (const record of records) {
        if (closing.aborted) return current;
        current = await evaluatePacket(deps, current, inputOf(record));
      }
      if (records.length < PAGE_SIZE || current.cursor.windowEndMs === windowEndMs) return current;
    }
  }

  /** Listing would read again what was pushed, so it is only done where a packet may be missing between. */
  async function visit(): Promise<void> {
    const next = pushed;
    pushed = undefined;
    const from = held ?? (await load());
    if (from === undefined) return;
    const isNext = next !== undefined && isAfter(from.cursor, next);
    held = isNext ? await evaluatePacket(deps, from, inputOf(next)) : await evaluateListed(from);
    held = await evaluateSilence(deps, held, symbol);
  }

  async function visitAgain(error: unknown): Promise<void> {
    if (!(error instanceof CursorMoved)) throw error;
    held = undefined;
    await visit();
  }

  return {
    push(packet) {
      pushed = packet;
    },
    async catchUp() {
      await withAdvisoryLock(deps.pool, LOCK_SPACE * 2 ** 16 + (crc32(symbol) >>> 0), async () => {
        try {
          await visit().catch(visitAgain);
        } catch (error) {
          held = undefined;
          if (!(error instanceof CursorMoved)) throw error;
        }
      });
    },
  };
}

function isAfter({ sequence, windowEndMs }: PacketCursor, packet: labeling.PacketRecord): boolean {
  return packet.sequence === sequence + 1 && packet.windowEndMs > windowEndMs;
}

/** A new symbol starts at its newest packet. */
async function begin(deps: EvaluatorDeps, symbol: string) {
  const { packets } = await deps.packets.call.listPackets({ ...PAGE, symbol, pageSize: 1, descending: true });
  const newest = packets[0];
  if (newest === undefined) return undefined;
  const cursor = { sequence: newest.sequence - 1, windowEndMs: newest.windowEndMs - 1, seenMs: deps.clock() };
  await beginCursor(deps.pool, symbol, cursor);
  return readCursor(deps.pool, symbol);
}

/** Returns none while labeling is unavailable, which counts as silence too. */
async function nextPackets({ packets, logger }: EvaluatorDeps, symbol: string, afterMs: number): Promise<labeling.PacketRecord[]> {
  try {
    return (await packets.call.listPackets({ ...PAGE, symbol, fromWindowEndMs: afterMs + 1 })).packets;
  } catch (error) {
    logger.warn({ err: error, symbol }, 'reading packets failed; will retry');
    return [];
  }
}

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
    const version = await advanceCursor(client, { readSequence: held.cursor.sequence, cursor, input });
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
async function evaluateSilence(deps: EvaluatorDeps, held: SymbolRules, symbol: string): Promise<SymbolRules> {
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
