import { useMemo } from 'react';
import type { Span } from '../../service/url-span';
import { isSameOutcome, type Outcome, outcomeHere, outcomeThere, rehearseHere } from './rehearse-here';
import { canRunHere, type Rule } from './rule';
import { ruleFaults } from './rule-faults';
import { useConfirm, useHistory } from './use-alerts';

/** What the settings of a rule would have told: run here while they change, and by the service when it is asked. */
export function useRehearsal(span: Span, rules: readonly Rule[]) {
  const history = useHistory(span, rules);
  const confirming = useConfirm();
  const rulesText = JSON.stringify(rules);
  const isWhole = rules.every((rule) => ruleFaults(rule).size === 0);
  const runsHere = isWhole && rules.every(canRunHere);
  const here = useMemo((): readonly Outcome[] | null => {
    if (!runsHere || history.data === undefined) return null;
    const made = rehearseHere(rules, history.data, Math.min(span.toMs, Date.now()));
    return rules.flatMap((rule, index) => {
      const result = made[index];
      return result === undefined ? [] : [outcomeHere(result, rule)];
    });
    // Rules are made anew with each reading of the address: their text says whether they are others.
  }, [rulesText, runsHere, history.data, span.toMs]);

  const singles = useMemo((): readonly (Outcome['notices'] | null)[] => {
    if (!runsHere || history.data === undefined) return [];
    const alone = rules.map((rule) => ({ ...rule, minConsecutive: 1 }));
    const made = rehearseHere(alone, history.data, Math.min(span.toMs, Date.now()));
    return rules.map(({ minConsecutive }, index) => {
      const [result, rule] = [made[index], alone[index]];
      return minConsecutive === 1 || result === undefined || rule === undefined ? null : outcomeHere(result, rule).notices;
    });
  }, [rulesText, runsHere, history.data, span.toMs]);

  // What the service said counts for what it was asked alone.
  const asked = confirming.variables;
  const isOfThese = asked !== undefined && JSON.stringify([asked.span, asked.rules]) === JSON.stringify([span, rules]);
  const there = useMemo((): readonly Outcome[] | null => {
    if (confirming.data === undefined || !isOfThese) return null;
    return rules.flatMap((rule, index) => {
      const found = confirming.data.rules.find(({ rule_index: at }) => at === index);
      return found === undefined ? [] : [outcomeThere(found, rule)];
    });
  }, [confirming.data, isOfThese, rulesText]);
  const isSame =
    here === null || there === null
      ? null
      : here.every((outcome, index) => there[index] !== undefined && isSameOutcome(outcome, there[index]));
  return {
    history,
    isWhole,
    runsHere,
    here,
    singles,
    there,
    isSame,
    packets: there === null ? null : (confirming.data?.packets_looked_at ?? null),
    confirm: () => confirming.mutate({ span, rules }),
    isConfirming: confirming.isPending,
    confirmError: isOfThese ? confirming.error : null,
  };
}
