import { parse, stringify } from 'node:querystring';
import { type FaultItem, InvalidRequest } from '../../serving/errors/problem';
import type { Operation } from '../../serving/openapi/operations';
import type { Input, RequestValidator } from '../../serving/validation/request-validator';

/** Body assembled from query parameters, with the errors found on the way. */
interface SentBody {
  /** Undefined for an operation without a body. */
  readonly body: unknown;
  readonly faults: readonly FaultItem[];
}

type Sent = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads a body from a query: scalars as text, lists of texts repeated or comma-separated, objects and lists of objects
 * as JSON.
 */
function readSentBody({ body: described }: Operation, sent: Sent): SentBody {
  if (described === null) return { body: undefined, faults: [] };
  const fields = new Map(Object.entries(described.schema['properties'] ?? {}) as [string, { readonly type?: unknown }][]);
  const body: Record<string, unknown> = {};
  const faults: FaultItem[] = [];
  const refuse = (name: string, msg: string, type: string): void => void faults.push({ loc: ['query', name], msg, type });
  for (const [name, value] of Object.entries(sent)) {
    const values = [value ?? []].flat();
    const [text = ''] = values;
    const types = [fields.get(name)?.type ?? []].flat();
    if (!fields.has(name)) refuse(name, 'is not a body field of this route', 'unknown_parameter');
    else if (types.includes('array') && !text.startsWith('[')) body[name] = values.flatMap((each) => each.split(','));
    else if (values.length > 1) refuse(name, 'was sent more than once', 'duplicate_parameter');
    else if (types.includes('array') || types.includes('object')) {
      const read = readJson(text);
      if (read === undefined) refuse(name, 'must be JSON, as in the body', 'json');
      else body[name] = read;
    } else body[name] = readText(text, types);
  }
  return { body, faults };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Leaves unreadable text as is, so that schema validation reports it. */
function readText(text: string, types: readonly unknown[]): unknown {
  if (types.includes('integer') && /^\d{1,9}$/.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/**
 * Input of the call to estimate: its path parameters and body fields are sent as query parameters.
 * @throws InvalidRequest with every error, located in that query
 */
export async function readUnsent(validator: RequestValidator, requested: Operation, rawQuery: string): Promise<Input> {
  const { route, method, ...sent } = parse(rawQuery, '&', '=', { maxKeys: 0 });
  void route;
  void method;
  const named = (place: string): string[] => requested.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  const [inPath, inQuery] = [named('path'), named('query')];
  const missing = inPath.filter((name) => typeof sent[name] !== 'string');
  if (missing.length > 0)
    throw new InvalidRequest(
      missing.map((name) => ({ loc: ['query', name], msg: `is required: it is part of ${requested.path}`, type: 'required' })),
    );
  // A path with an empty segment cannot be matched, so that error is reported here.
  const empty = inPath.filter((name) => sent[name] === '');
  const path = Object.fromEntries(inPath.map((name) => [name, String(sent[name]) || '-']));
  const rest = Object.entries(sent).filter(([name]) => !inPath.includes(name));
  const isOfBody = (name: string): boolean => requested.body !== null && !inQuery.includes(name);
  const query = Object.fromEntries(rest.filter(([name]) => !isOfBody(name)));
  const { body, faults } = readSentBody(requested, Object.fromEntries(rest.filter(([name]) => isOfBody(name))));
  const validation = await validator.validate(requested, { rawQuery: stringify(query), path, headers: {}, body });
  if (validation.ok && empty.length + faults.length === 0) return validation.input;
  const found = validation.ok ? { faults: [], further: 0 } : validation;
  throw new InvalidRequest(
    [
      ...faults,
      ...found.faults.map((fault) => inTheQuery(requested, fault)).filter(({ loc }) => faults.every((fault) => fault.loc[1] !== loc[1])),
      ...empty.map((name) => ({ loc: ['query', name], msg: 'must NOT have fewer than 1 characters', type: 'minLength' })),
    ],
    found.further,
  );
}

/** Relocates a path or body error to the query. An error about the whole body lists its fields. */
function inTheQuery({ body }: Operation, fault: FaultItem): FaultItem {
  const [place, ...within] = fault.loc;
  if (place !== 'path' && place !== 'body') return fault;
  const loc = ['query', ...within];
  if (place === 'path' || within.length > 0) return { ...fault, loc };
  return { ...fault, loc, msg: `${fault.msg}: the body has ${Object.keys(body?.schema['properties'] ?? {}).join(', ')}` };
}
