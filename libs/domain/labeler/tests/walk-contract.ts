import { CONTRACT_BLOCKED_USES, CONTRACT_LANES, CONTRACT_LITERALS, CONTRACT_TABLES, type FieldType } from './contract-tables';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Contract violations of a packet: one sentence per missing field, wrong type or wrong value. */
export function contractFaults(packet: unknown): readonly string[] {
  const faults: string[] = [];
  for (const [path, fields] of Object.entries(CONTRACT_TABLES)) {
    for (const object of valuesAt(packet, path)) {
      for (const [name, type] of Object.entries(fields)) {
        const value = (object as Record<string, unknown>)[name];
        if (!isOf(type, value)) faults.push(`${path}.${name} is not ${type}: ${JSON.stringify(value)}`);
      }
    }
  }
  for (const [path, literal] of Object.entries(CONTRACT_LITERALS)) {
    const [value] = valuesAt(packet, path);
    if (value !== literal) faults.push(`${path} is ${JSON.stringify(value)}, not ${JSON.stringify(literal)}`);
  }
  return [...faults, ...laneFaults(packet), ...useFaults(packet)];
}

/** Values at a dotted path; `name[]` expands an array. */
export function valuesAt(root: unknown, path: string): readonly unknown[] {
  if (path === '') return [root];
  return path.split('.').reduce<readonly unknown[]>(
    (values, step) => {
      const name = step.replace('[]', '');
      const members = values.map((value) => (value as Record<string, unknown> | null)?.[name]);
      return step.endsWith('[]') ? members.flatMap((member) => member as readonly unknown[]) : members;
    },
    [root],
  );
}

function isOf(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' && value !== '';
    case 'timestamp':
      return typeof value === 'string' && TIMESTAMP.test(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'integer|null':
      return value === null || Number.isSafeInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'number|null':
      return value === null || Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'object':
      return isObject(value);
    case 'string|object':
      return typeof value === 'string' || isObject(value);
    case 'string[]':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'object[]':
      return Array.isArray(value) && value.every(isObject);
    case 'object of string':
      return isObject(value) && Object.values(value).every((member) => typeof member === 'string');
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function laneFaults(packet: unknown): readonly string[] {
  return valuesAt(packet, 'compute_lanes[]').flatMap((value) => {
    const lane = value as Record<string, unknown>;
    const row = CONTRACT_LANES[String(lane['lane_id'])];
    if (row === undefined) return lane['lane_id'] === 'event_lineage' ? [] : [`lane ${String(lane['lane_id'])} is not in the contract`];
    const [horizon, budget, blocking] = row;
    const equal = lane['horizon'] === horizon && lane['latency_budget_ms'] === budget && lane['blocking_latest_route'] === blocking;
    return equal ? [] : [`lane ${String(lane['lane_id'])} differs from the contract`];
  });
}

function useFaults(packet: unknown): readonly string[] {
  const blocked = valuesAt(packet, 'automation_readiness.blocked_uses[]');
  return CONTRACT_BLOCKED_USES.filter((use) => !blocked.includes(use)).map((use) => `${use} is not blocked`);
}
