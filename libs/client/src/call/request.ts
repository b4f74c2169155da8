import { operations } from '../generated/operations';
import type { OperationId } from '../types';

/** What is known of an operation without asking. */
export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  readonly kind?: 'text' | 'file' | 'stream';
  /** Needs no credential. */
  readonly open?: boolean;
  /** Takes a body; one that is required is sent even where it says nothing. */
  readonly body?: 'required' | 'optional';
  /** Most that it costs; absent where it is not metered. */
  readonly price?: Price;
  /** The list of its answer that is paged. */
  readonly rows?: string;
  /** Takes an `Idempotency-Key`. */
  readonly repeatable?: boolean;
  /** The parameter that lets the service wait so many seconds. */
  readonly waits?: string;
}

/** Credits, how they follow from a parameter, or why they are not known beforehand. */
export type Price = number | 'symbols' | 'messages' | 'unknown' | PriceByParameter;

export interface PriceByParameter {
  readonly base: number;
  readonly size: number;
  /** Rounds up; else down. */
  readonly up: boolean;
  readonly of: string;
  readonly usual: number;
}

export type Given = Readonly<Record<string, unknown>>;

/** Rows are read by a browser's session under a path of their own. */
const DATA = '/api/public/data/';
const DATA_OF_SESSIONS = '/api/public/market-state/workspace/data/';

export function factsOf(id: OperationId, { session }: { readonly session: boolean } = { session: false }): OperationFacts {
  const facts: OperationFacts = { method: 'GET', ...operations[id] };
  return session ? { ...facts, path: facts.path.replace(DATA, DATA_OF_SESSIONS) } : facts;
}

/** Path and query of a call, and its body where the operation takes one. Lists are repeated; objects become `name[key]`. */
export function addressOf({ path, body }: OperationFacts, given: Given): { readonly address: string; readonly rest: Given } {
  const left: Record<string, unknown> = { ...given };
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = left[name];
    delete left[name];
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is needed: it is part of ${path}`);
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
