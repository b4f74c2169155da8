import { randomUUID } from 'node:crypto';
import {
  checkRule,
  liveRule,
  type LiveRule,
  LOOK_BACK_WINDOWS,
  readRuleInput,
  readStanding,
  type RecentInputs,
  recentInputs,
  type RuleInput,
  type Standing,
  type Step,
} from '@market-state/alert-rules';
import type { Queryable } from '@market-state/postgres';
import type { MessageDraft } from '../messages/draft';
import { alertNotice, noticedPacket, type NoticeRule, packetMeta } from '../messages/notices';
import { type ChangedStanding, type PacketCursor, readRules, type StoredRule } from '../store/evaluation';
import { recentInputsOf } from '../store/inputs';
import type { Payload } from '../store/payloads';

/** A rule, and whom it tells. */
interface OwnedRule extends NoticeRule {
  readonly tenantId: string;
  readonly muted: boolean;
  readonly live: LiveRule;
}

/** Where a rule stands on one symbol, as it is held in memory. */
export interface HeldRule {
  readonly rule: OwnedRule;
  readonly standing: Standing;
  /** Its last transitions, newest first, each as JSON: they are written again with every change. */
  readonly recent: readonly string[];
}

/** All that is known of a symbol between two packets. */
export interface SymbolRules {
  readonly version: string;
  readonly cursor: PacketCursor;
  readonly rules: readonly HeldRule[];
  readonly recent: RecentInputs;
  readonly previous: RuleInput | undefined;
}

/** Reads the rules of a symbol, and the inputs that they look back at, as they are after the packet of the cursor. */
export async function loadSymbolRules(on: Queryable, symbol: string, version: string, cursor: PacketCursor): Promise<SymbolRules> {
  const inputs = (await recentInputsOf(on, symbol, cursor.windowEndMs, LOOK_BACK_WINDOWS)).map(readRuleInput);
  const rules = (await readRules(on, symbol)).map((stored) => heldRule(stored, cursor));
  return { version, cursor, rules, recent: recentInputs(inputs), previous: inputs.at(-1) };
}

/** A rule that was looked at has seen every packet up to the cursor; only changes of its standing are stored. */
function heldRule(stored: StoredRule, { sequence, windowEndMs }: PacketCursor): HeldRule {
  const checked = checkRule(stored);
  if (!('rule' in checked)) throw new Error(`the stored rule ${stored.ruleId} is not valid`);
  const standing = readStanding(stored.standing);
  const { ruleId, watchlistId, watchlistKind, watchlistName, tenantId, muted } = stored;
  const live = liveRule(ruleId, checked.rule);
  return {
    rule: { ruleId, watchlistId, watchlistKind, watchlistName, tenantId, muted, spec: checked.rule, live },
    standing: standing.state === 'unknown' ? standing : { ...standing, lastSequence: sequence, lastWindowMs: windowEndMs },
    recent: (stored.recent as readonly object[]).map((transition) => JSON.stringify(transition)),
  };
}

const TRANSITIONS_KEPT = 5;

/** What looking at the rules of a symbol came to. */
export interface Looked {
  readonly next: readonly HeldRule[];
  readonly changed: readonly ChangedStanding[];
  readonly drafts: readonly MessageDraft[];
  /** What the drafts share. */
  readonly payloads: readonly Payload[];
  readonly transitions: readonly { readonly kind: string; readonly phase: string }[];
  /** Notices that a cooldown or a mute held back. */
  readonly suppressed: number;
}

/** The packet that notices are about, and what all of them say of it. */
interface Subject {
  readonly input: RuleInput;
  readonly payload: Payload;
}

export function subjectOf(input: RuleInput, late: boolean): Subject {
  return { input, payload: { payloadId: `pay_${randomUUID()}`, data: noticedPacket(input, late), meta: packetMeta(input) } };
}

/** What looking at several parts of the rules came to. */
export function allOf(parts: readonly Looked[]): Looked {
  return {
    next: parts.flatMap(({ next }) => next),
    changed: parts.flatMap(({ changed }) => changed),
    drafts: parts.flatMap(({ drafts }) => drafts),
    payloads: [...new Set(parts.flatMap(({ payloads }) => payloads))],
    transitions: parts.flatMap(({ transitions }) => transitions),
    suppressed: parts.reduce((total, { suppressed }) => total + suppressed, 0),
  };
}

/** Two looks at the same rules, one after the other. */
export function both(first: Looked, second: Looked): Looked {
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

/** Looks at every rule by `step`, which moves it at `atMs`. */
export function lookAtRules(
  rules: readonly HeldRule[],
  step: (held: HeldRule) => Step,
  { input, payload }: Subject,
  atMs: (held: HeldRule) => number,
): Looked {
  const next: HeldRule[] = [];
  const changed: ChangedStanding[] = [];
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
    // A trigger of a momentary rule that the cooldown held back is a transition alone.
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

/** Members of a standing whose change is stored. Which packet was seen last is not: the cursor of the symbol says it for all rules. */
const STORED = Object.keys({
  state: true,
  consecutive: true,
  sinceMs: true,
  episodeId: true,
  episodeTold: true,
  lastToldMs: true,
  transition: true,
  stale: true,
} satisfies Record<Exclude<keyof Standing, 'lastSequence' | 'lastWindowMs'>, true>) as (keyof Standing)[];

/** Whether anything changed but which packet was seen last. */
function isChanged(before: Standing, after: Standing): boolean {
  return before !== after && STORED.some((name) => before[name] !== after[name]);
}

/** The last five transitions with the one that a step made, if any, in front. */
function withTransition({ standing: before, recent }: HeldRule, { standing, notice, suppressed }: Step, atMs: number): readonly string[] {
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
