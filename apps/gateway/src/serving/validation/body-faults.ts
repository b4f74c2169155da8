import { checkRule } from '@market-state/alert-rules';
import { COMPRESSIONS, DATASETS, DEFAULT_DATASET, DEFAULT_FORMAT, DEPTH_MAX, exportFaults, FORMATS } from '@market-state/export-schema';
import type { FaultItem } from '../errors/problem';
import { parseInstant } from '../meta/instant';

const CHANGES = ['name', 'scopes', 'expires_at', 'credit_ceiling', 'rate_limit'] as const;

/** A rotation allows no other change, and an overlap requires a rotation. */
export function keyPatchFaults(body: unknown): FaultItem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  if ('rotate' in body) {
    const both = CHANGES.filter((name) => name in body);
    return both.map((name) => ({
      loc: ['body', name],
      msg: 'cannot be changed together with rotate: the new key copies the old settings',
      type: 'not_with_rotate',
    }));
  }
  if (!('overlap_seconds' in body)) return [];
  return [{ loc: ['body', 'overlap_seconds'], msg: 'applies only to a rotation: send rotate too', type: 'only_with_rotate' }];
}

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

function oneOf<T>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((word) => word === value);
}

function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function instantOf(value: unknown): number | undefined {
  return typeof value === 'string' ? (parseInstant(value) ?? undefined) : undefined;
}

function depthOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= DEPTH_MAX ? Number(value) : undefined;
}

/** Returns conflicts between fields. Skips fields that the schema rejects and fields that depend on them. */
export function exportBodyFaults(body: unknown): FaultItem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const sent = body as Readonly<Record<string, unknown>>;
  const dataset = oneOf(sent['dataset'] ?? DEFAULT_DATASET, DATASETS);
  const format = oneOf(sent['format'] ?? DEFAULT_FORMAT, FORMATS);
  const faults = exportFaults({
    dataset: dataset ?? DEFAULT_DATASET,
    format: format ?? DEFAULT_FORMAT,
    compression: oneOf(sent['compression'], COMPRESSIONS),
    tf: typeof sent['tf'] === 'string' ? sent['tf'] : undefined,
    depth: depthOf(sent['depth']),
    columns: textList(sent['columns']),
    fromMs: instantOf(sent['from']),
    toMs: instantOf(sent['to']),
  });
  const unsure = new Set([
    ...(dataset === undefined ? ['tf', 'depth', 'columns'] : []),
    ...(format === undefined ? ['compression', 'columns'] : []),
  ]);
  return faults.filter(({ field }) => !unsure.has(field)).map(({ field, message, type }) => ({ loc: ['body', field], msg: message, type }));
}
