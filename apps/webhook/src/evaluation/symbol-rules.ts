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
} from '@market-state/alert-rules';
import type { Queryable } from '@market-state/postgres';
import type { NoticeRule } from '../messages/notices';
import { type PacketCursor, readRules, type StoredRule } from '../store/evaluation';
import { recentInputsOf } from '../store/inputs';

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
