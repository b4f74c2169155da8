import { hasSameCondition, type RuleSpec } from '@market-state/alert-rules';
import type { Queryable } from '@market-state/postgres';
import { newId } from '../ids';
import { beginStandings, deleteRule, deleteStandings, insertRule, moveRule } from '../store/watchlists';
import type { RuleStanding, WatchedRule, Watchlist } from './watchlist';

/**
 * Sets the rules and symbols of a watchlist. A rule with the kind and params of one before goes on where that stands.
 * @returns standings that end
 */
export async function changeRules(
  on: Queryable,
  before: Watchlist,
  specs: readonly RuleSpec[],
  symbols: readonly string[],
  nowMs: number,
): Promise<{ rule: WatchedRule; standing: RuleStanding }[]> {
  const left = [...before.rules];
  const ended: { rule: WatchedRule; standing: RuleStanding }[] = [];
  const goneSymbols = before.symbols.filter((symbol) => !symbols.includes(symbol));
  for (const [position, spec] of specs.entries()) {
    const at = left.findIndex((rule) => hasSameCondition(rule.spec, spec));
    const [kept] = at < 0 ? [] : left.splice(at, 1);
    const ruleId = kept?.ruleId ?? newId('rul');
    if (kept === undefined) await insertRule(on, before.watchlistId, ruleId, position, spec);
    else {
      await moveRule(on, ruleId, position, spec);
      await deleteStandings(on, ruleId, goneSymbols);
      ended.push(...endedOf(kept, (symbol) => goneSymbols.includes(symbol)));
    }
    await beginStandings(on, ruleId, symbols, nowMs);
  }
  for (const rule of left) {
    await deleteRule(on, rule.ruleId);
    ended.push(...endedOf(rule, () => true));
  }
  return ended;
}

function endedOf(rule: WatchedRule, ends: (symbol: string) => boolean): { rule: WatchedRule; standing: RuleStanding }[] {
  return rule.standings.filter(({ symbol }) => ends(symbol)).map((standing) => ({ rule, standing }));
}
