import { checkRule } from '@market-state/alert-rules';
import type { FaultItem } from '../errors/fault-item';

/** Faults of the rules of a watchlist or a rehearsal, and of the rule of an alert, that no schema finds. */
export function ruleFaults(body: unknown): FaultItem[] {
  if (typeof body !== 'object' || body === null) return [];
  const { rule, rules } = body as { readonly rule?: unknown; readonly rules?: unknown };
  const listed = Array.isArray(rules) ? rules.flatMap((each, index) => faultsOf(each, ['body', 'rules', index])) : [];
  return [...faultsOf(rule, ['body', 'rule']), ...listed];
}

function faultsOf(rule: unknown, place: FaultItem['loc']): FaultItem[] {
  if (typeof rule !== 'object' || rule === null) return [];
  const { kind, params = {}, cooldown_seconds: cooldown, min_consecutive: consecutive } = rule as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string' || typeof params !== 'object' || params === null) return [];
  const checked = checkRule({ kind, params, cooldownSeconds: numberOr(cooldown, 0), minConsecutive: numberOr(consecutive, 1) });
  return 'rule' in checked
    ? []
    : checked.faults.map(({ path, message }) => ({ loc: [...place, ...path], msg: message, type: 'invalid_rule' }));
}

function numberOr(value: unknown, usual: number): number {
  return typeof value === 'number' ? value : usual;
}
