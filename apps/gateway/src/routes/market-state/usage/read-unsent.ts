import { parse, stringify } from 'node:querystring';
import { type FaultItem, InvalidRequest } from '../../../serving/errors/fault-item';
import type { Operation } from '../../../serving/openapi/operations';
import type { Input, RequestValidator } from '../../../serving/validation/request-validator';
import { unsentCall } from '../../../serving/validation/unsent-call';
import { readSentBody } from './sent-body';

/**
 * The call that a query of `usage/estimate` is about: parameters of its path and fields of its body are sent in the query by name.
 * @throws InvalidRequest naming all that is wrong or missing, as faults of that query
 */
export async function readUnsent(validator: RequestValidator, asked: Operation, rawQuery: string): Promise<Input> {
  const { route, method, ...sent } = parse(rawQuery, '&', '=', { maxKeys: 0 });
  void route;
  void method;
  const named = (place: string): string[] => asked.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  const [inPath, inQuery] = [named('path'), named('query')];
  const missing = inPath.filter((name) => typeof sent[name] !== 'string');
  if (missing.length > 0)
    throw new InvalidRequest(
      missing.map((name) => ({ loc: ['query', name], msg: `is needed: it is part of ${asked.path}`, type: 'required' })),
    );
  // No path has an empty part, so that none can be read: its fault is found here.
  const empty = inPath.filter((name) => sent[name] === '');
  const path = Object.fromEntries(inPath.map((name) => [name, String(sent[name]) || '-']));
  const rest = Object.entries(sent).filter(([name]) => !inPath.includes(name));
  const isOfBody = (name: string): boolean => asked.body !== null && !inQuery.includes(name);
  const query = Object.fromEntries(rest.filter(([name]) => !isOfBody(name)));
  const { body, faults } = readSentBody(asked, Object.fromEntries(rest.filter(([name]) => isOfBody(name))));
  const validation = await validator.validate(asked, ...unsentCall(asked, { rawQuery: stringify(query), path, body }));
  if (validation.ok && empty.length + faults.length === 0) return validation.input;
  const found = validation.ok ? { faults: [], further: 0 } : validation;
  throw new InvalidRequest(
    [
      ...faults,
      ...found.faults.map((fault) => inTheQuery(asked, fault)).filter(({ loc }) => faults.every((fault) => fault.loc[1] !== loc[1])),
      ...empty.map((name) => ({ loc: ['query', name], msg: 'must NOT have fewer than 1 characters', type: 'minLength' })),
    ],
    found.further,
  );
}

/** A fault of path or body where it was sent. One of the body as a whole says which fields there are. */
function inTheQuery({ body }: Operation, fault: FaultItem): FaultItem {
  const [place, ...within] = fault.loc;
  if (place !== 'path' && place !== 'body') return fault;
  const loc = ['query', ...within];
  if (place === 'path' || within.length > 0) return { ...fault, loc };
  return { ...fault, loc, msg: `${fault.msg}: the body has ${Object.keys(body?.schema['properties'] ?? {}).join(', ')}` };
}
