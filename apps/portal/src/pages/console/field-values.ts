import { whole } from '../../market/numbers';
import type { CallField, CallOperation } from './operations';

export interface Filled {
  readonly places: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly faults: ReadonlyMap<string, string>;
}

/** Empty fields are left out. Bounds are left to the service, whose validation is free. */
export function readForm(operation: CallOperation, textOf: (name: string) => string): Filled {
  const values = { path: {}, query: {}, body: {} } as Record<CallField['in'], Record<string, unknown>>;
  const faults = new Map<string, string>();
  for (const field of operation.fields) {
    const text = textOf(field.name);
    if (text === '') {
      if (field.in === 'path') faults.set(field.name, 'Required: it is part of the address.');
      else if (field.in === 'body' && field.required === true && field.nullable === true) values.body[field.name] = null;
      continue;
    }
    try {
      values[field.in][field.name] = valueOf(field, text);
    } catch (fault) {
      faults.set(field.name, fault instanceof Error ? fault.message : String(fault));
    }
  }
  return { places: values.path, query: values.query, body: values.body, faults };
}

/** @throws Error whose message describes the expected text */
function valueOf(field: CallField, text: string): unknown {
  if (field.nullable === true && text === 'null') return null;
  switch (field.type) {
    case 'string':
      return text;
    case 'integer':
    case 'number': {
      const value = Number(text);
      if (!Number.isFinite(value)) throw new Error('Enter a number.');
      return value;
    }
    case 'boolean':
      return text === 'true';
    case 'words':
      return text
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');
    case 'json':
      return jsonOf(text);
    default:
      return field.type satisfies never;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Invalid JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Faults that match no field have the name ''. */
export function faultsByField(
  faults: readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[],
  fields: readonly CallField[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { loc, msg } of faults) {
    const at = loc.findIndex((part) => fields.some(({ name }) => name === part));
    const name = at === -1 ? '' : String(loc[at]);
    const inside = at === -1 ? loc : loc.slice(at + 1);
    const words = inside.length === 0 ? msg : `${inside.join('.')}: ${msg}`;
    found.set(name, found.has(name) ? `${found.get(name) ?? ''}; ${words}` : words);
  }
  return found;
}

export function boundWords(field: CallField): string {
  const { minimum, maximum, maxLength, minItems, maxItems, words, type } = field;
  const usual = field.default;
  return [
    type === 'words' ? `comma-separated${words === undefined ? '' : `: ${words.join(', ')}`}` : '',
    type === 'json' ? 'as JSON' : '',
    rangeWords(minimum, maximum, ''),
    maxLength === undefined ? '' : `at most ${whole(maxLength)} characters`,
    rangeWords(minItems, maxItems, ' items'),
    field.nullable === true ? 'null for none' : '',
    usual === undefined || usual === '' || usual === null ? '' : `default: ${String(usual)}`,
  ]
    .filter((each) => each !== '')
    .join('; ');
}

function rangeWords(from: number | undefined, to: number | undefined, unit: string): string {
  if (from === undefined && to === undefined) return '';
  if (from === undefined) return `at most ${to?.toLocaleString('en-US')}${unit}`;
  if (to === undefined) return `at least ${whole(from)}${unit}`;
  return `${whole(from)} to ${whole(to)}${unit}`;
}
