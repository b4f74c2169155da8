import { factsOf, type Given, type OperationFacts } from './call/request';
import { operations } from './generated/operations';
import type { OperationId } from './types';

/** An operation of the service, as a path names it. */
export interface NamedOperation {
  readonly id: OperationId;
  /** Those of the path and of the query; one that is sent several times is a list. */
  readonly params: Given;
}

/** What is known of an operation without asking. */
export interface OperationDescription {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** Answers with JSON, with text, with a file, or with a stream of messages. */
  readonly answers: 'json' | 'text' | 'file' | 'stream';
  readonly isMetered: boolean;
  /** The list of its answer that comes in pages; null where there is none. */
  readonly rows: string | null;
}

export function describeOperation(id: OperationId): OperationDescription {
  const { method, path, kind, price, rows }: OperationFacts = factsOf(id);
  return { method, path, answers: kind ?? 'json', isMetered: price !== undefined, rows: rows ?? null };
}

/**
 * The operation that answers a path of the service, with or without a query; null where there is none.
 * @param address `/api/public/market-state/latest?symbol=ALL`
 * @throws URIError when it is not well escaped
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

/** The parameters of a path; null when it is another path. */
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
