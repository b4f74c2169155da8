import { operations } from '../generated/operations';
import type { OperationId } from '../types';

export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  readonly kind?: 'text' | 'file' | 'stream';
  /** Needs no credential. */
  readonly open?: boolean;
  /** Accepts a body; a required one is sent even if empty. */
  readonly body?: 'required' | 'optional';
  /** Absent if not metered. */
  readonly price?: Price;
  /** Paged list in the answer. */
  readonly rows?: string;
  /** Accepts an `Idempotency-Key`. */
  readonly repeatable?: boolean;
  /** Parameter that makes the service wait for so many seconds. */
  readonly waits?: string;
}

/** Credits, a rule to derive them from a parameter, or the reason they are unknown in advance. */
export type Price = number | 'symbols' | 'messages' | 'unknown' | PriceByParameter;

export interface PriceByParameter {
  readonly base: number;
  readonly size: number;
  /** Rounds partial units up instead of down. */
  readonly up: boolean;
  readonly of: string;
  readonly usual: number;
}

export type Given = Readonly<Record<string, unknown>>;

/** Left out of the paths of the generated table. */
const ROOT = '/api/public/';
/** Browser sessions read rows under a separate path. */
const DATA = /^data/;
const DATA_OF_SESSIONS = 'market-state/workspace/data';

export function factsOf(id: OperationId, { session }: { readonly session: boolean } = { session: false }): OperationFacts {
  const facts: OperationFacts = { method: 'GET', ...operations[id] };
  const path = session ? facts.path.replace(DATA, DATA_OF_SESSIONS) : facts.path;
  return { ...facts, path: path[0] === '/' ? path : ROOT + path };
}

/** Lists are repeated; objects become `name[key]`. */
export function addressOf({ path, body }: OperationFacts, given: Given): { readonly address: string; readonly rest: Given } {
  const left: Record<string, unknown> = { ...given };
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = left[name];
    delete left[name];
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is required: it is part of ${path}`);
    return encodeURIComponent(String(value));
  });
  if (body !== undefined) return { address: filled, rest: left };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(left)) addTo(query, name, value);
  const text = query.toString();
  return { address: text === '' ? filled : `${filled}?${text}`, rest: {} };
}

function addTo(query: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) for (const item of value) query.append(name, String(item));
  else if (value instanceof Date) query.append(name, value.toISOString());
  else if (typeof value === 'object') for (const [key, item] of Object.entries(value)) addTo(query, `${name}[${key}]`, item);
  else query.append(name, String(value));
}
