import { randomUUID } from 'node:crypto';
import {
  checkRule,
  liveRule,
  type LiveRule,
  LOOK_BACK_WINDOWS,
  readRuleInput,
  readRuleState,
  type RecentInputs,
  recentInputs,
  type RuleInput,
  type RuleState,
  type Step,
} from '@market-state/alert-rules';
import type { Queryable } from '@market-state/postgres';
import { type MessageDraft, alertNotice, noticedPacket, type NoticeRule, packetMeta } from '../messages/message';
import { type ChangedRuleState, type PacketCursor, readRules, type StoredRule } from '../store/evaluation';
import { recentInputsOf } from '../store/inputs';
import type { Payload } from '../store/messages';

interface OwnedRule extends NoticeRule {
  readonly tenantId: string;
  readonly muted: boolean;
  readonly live: LiveRule;
}

export interface LoadedRule {
  readonly rule: OwnedRule;
  readonly standing: RuleState;
  /** Last transitions as JSON, newest first; rewritten with every change. */
  readonly recent: readonly string[];
}

export interface SymbolRules {
  readonly version: string;
  readonly cursor: PacketCursor;
  readonly rules: readonly LoadedRule[];
  readonly recent: RecentInputs;
  readonly previous: RuleInput | undefined;
}

/** Reads the rules as of the cursor, with the inputs that the rules refer back to. */
export async function loadSymbolRules(on: Queryable, symbol: string, version: string, cursor: PacketCursor): Promise<SymbolRules> {
  const inputs = (await recentInputsOf(on, symbol, cursor.windowEndMs, LOOK_BACK_WINDOWS)).map(readRuleInput);
  const rules = (await readRules(on, symbol)).map((stored) => heldRule(stored, cursor));
  return { version, cursor, rules, recent: recentInputs(inputs), previous: inputs.at(-1) };
}

/** A rule has seen every packet up to the cursor; only changes of its state are stored. */
function heldRule(stored: StoredRule, { sequence, windowEndMs }: PacketCursor): LoadedRule {
  const checked = checkRule(stored);
  if (!('rule' in checked)) throw new Error(`the stored rule ${stored.ruleId} is invalid`);
  const standing = readRuleState(stored.standing);
  const { ruleId, watchlistId, watchlistKind, watchlistName, tenantId, muted } = stored;
  const live = liveRule(ruleId, checked.rule);
  return {
    rule: { ruleId, watchlistId, watchlistKind, watchlistName, tenantId, muted, spec: checked.rule, live },
    standing: standing.state === 'unknown' ? standing : { ...standing, lastSequence: sequence, lastWindowMs: windowEndMs },
    recent: (stored.recent as readonly object[]).map((transition) => JSON.stringify(transition)),
  };
}

const TRANSITIONS_KEPT = 5;

export interface RuleEvaluation {
  readonly next: readonly LoadedRule[];
  readonly changed: readonly ChangedRuleState[];
  readonly drafts: readonly MessageDraft[];
  readonly payloads: readonly Payload[];
  readonly transitions: readonly { readonly kind: string; readonly phase: string }[];
  readonly suppressed: number;
}

/** Packet that notices refer to, with their shared payload. */
interface Subject {
  readonly input: RuleInput;
  readonly payload: Payload;
}

export function subjectOf(input: RuleInput, late: boolean): Subject {
  return { input, payload: { payloadId: `pay_${randomUUID()}`, data: noticedPacket(input, late), meta: packetMeta(input) } };
}

/** Merges results for disjoint sets of rules. */
export function allOf(parts: readonly RuleEvaluation[]): RuleEvaluation {
  return {
    next: parts.flatMap(({ next }) => next),
    changed: parts.flatMap(({ changed }) => changed),
    drafts: parts.flatMap(({ drafts }) => drafts),
    payloads: [...new Set(parts.flatMap(({ payloads }) => payloads))],
    transitions: parts.flatMap(({ transitions }) => transitions),
    suppressed: parts.reduce((total, { suppressed }) => total + suppressed, 0),
  };
}

/** Merges two successive evaluations of the same rules. */
export function both(first: RuleEvaluation, second: RuleEvaluation): RuleEvaluation {
  const changed = new Map([...first.changed, ...second.changed].map((each) => [each.ruleId, each]));
  return {
    next: second.next,
    changed: [...changed.values()],
    drafts: [...first.drafts, ...second.drafts],
    payloads: [...first.payloads, ...second.payloads],
    transitions: [...first.transitions, ...second.transitions],
    suppressed: first.suppressed + second.suppressed,
  };
}

/** Applies `step` to every rule, with `atMs` as the time of transitions. */
export function evaluateRules(
  rules: readonly LoadedRule[],
  step: (held: LoadedRule) => Step,
  { input, payload }: Subject,
  atMs: (held: LoadedRule) => number,
): RuleEvaluation {
  const next: LoadedRule[] = [];
  const changed: ChangedRuleState[] = [];
  const drafts: MessageDraft[] = [];
  const transitions: { kind: string; phase: string }[] = [];
  let suppressed = 0;
  for (const held of rules) {
    const { rule } = held;
    const stepped = step(held);
    const { standing, notice } = stepped;
    if (stepped.suppressed) suppressed += 1;
    const recent = withTransition(held, stepped, atMs(held));
    next.push({ rule, standing, recent });
    // A suppressed trigger of a momentary rule is only a transition.
    if (recent !== held.recent || isChanged(held.standing, standing)) changed.push({ ruleId: rule.ruleId, standing, recent });
    if (notice === undefined) continue;
    transitions.push({ kind: rule.spec.kind, phase: notice.phase });
    if (rule.muted) {
      suppressed += 1;
      continue;
    }
    drafts.push({
      tenantId: rule.tenantId,
      eventKind: 'alert.triggered',
      occasion: `alert ${rule.ruleId} ${input.symbol} ${input.window_end_ms} ${notice.phase}`,
      symbol: input.symbol,
      data: alertNotice(rule, notice),
      meta: null,
      payloadId: payload.payloadId,
      credits: 1,
    });
  }
  return { next, changed, drafts, payloads: drafts.length === 0 ? [] : [payload], transitions, suppressed };
}

/**
 * Fields whose change is stored. The last packet seen is not among them: the symbol's cursor covers it for all rules.
 */
const STORED = Object.keys({
  state: true,
  consecutive: true,
  sinceMs: true,
  episodeId: true,
  episodeTold: true,
  lastToldMs: true,
  transition: true,
  stale: true,
} satisfies Record<Exclude<keyof RuleState, 'lastSequence' | 'lastWindowMs'>, true>) as (keyof RuleState)[];

function isChanged(before: RuleState, after: RuleState): boolean {
  return before !== after && STORED.some((name) => before[name] !== after[name]);
}

function withTransition({ standing: before, recent }: LoadedRule, { standing, notice, suppressed }: Step, atMs: number): readonly string[] {
  if (before.state === standing.state && notice === undefined && !suppressed) return recent;
  const transition = {
    transition: notice?.transition ?? 0,
    from: before.state,
    to: standing.state,
    at_ms: atMs,
    phase: notice?.phase ?? (suppressed ? 'suppressed' : ''),
    episode_id: notice?.episodeId ?? standing.episodeId ?? '',
  };
  return [JSON.stringify(transition), ...recent].slice(0, TRANSITIONS_KEPT);
}
