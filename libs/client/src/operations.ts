import { factsOf, type Given, type OperationFacts } from './call/request';
import { operations } from './generated/operations';
import type { OperationId } from './types';

/** Parsed from a path. */
export interface NamedOperation {
  readonly id: OperationId;
  /** Path and query parameters; a repeated one is a list. */
  readonly params: Given;
}

export interface OperationDescription {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly answers: 'json' | 'text' | 'file' | 'stream';
  readonly isMetered: boolean;
  /** Paged list in the answer; null if there is none. */
  readonly rows: string | null;
}

export function describeOperation(id: OperationId): OperationDescription {
  const { method, path, kind, price, rows }: OperationFacts = factsOf(id);
  return { method, path, answers: kind ?? 'json', isMetered: price !== undefined, rows: rows ?? null };
}

/**
 * Null if no operation serves the path; the query is optional.
 * @param address such as `/api/public/market-state/latest?symbol=ALL`
 * @throws URIError if it is badly escaped
 */
export function operationAt(method: string, address: string): NamedOperation | null {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  let found: NamedOperation | null = null;
  for (const id of Object.keys(operations) as OperationId[]) {
    const facts = factsOf(id);
    const places = facts.method === method ? placesIn(facts.path, pathname) : null;
    if (places === null) continue;
    const named = { id, params: { ...queryOf(searchParams), ...places } };
    if (facts.path === pathname) return named;
    found ??= named;
  }
  return found;
}

/** Null if the path does not match. */
function placesIn(pattern: string, pathname: string): Given | null {
  const [wanted, given] = [pattern.split('/'), pathname.split('/')];
  if (wanted.length !== given.length) return null;
  const places: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name === undefined ? part !== value : value === '') return null;
    if (name !== undefined) places[name] = decodeURIComponent(value);
  }
  return places;
}

function queryOf(searchParams: URLSearchParams): Given {
  const params: Record<string, unknown> = {};
  for (const name of searchParams.keys()) {
    const values = searchParams.getAll(name);
    params[name] = values.length > 1 ? values : values[0];
  }
  return params;
}
