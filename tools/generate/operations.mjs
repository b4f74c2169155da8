import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientNameOf } from './client-names.mjs';
import { withoutWorkspaceTwins } from './workspace-twins.mjs';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
const IDEMPOTENCY = 'Idempotency-Key';

/** Names of the row list in answers with several lists. */
const ROW_FIELDS = ['rows', 'packets', 'receipts'];

/** Stable error codes in catalogue order. */
export function readProblemCodes(root) {
  return Object.keys(JSON.parse(readFileSync(join(root, 'libs', 'platform', 'errors', 'src', 'problems.json'), 'utf8')));
}

/** The published OpenAPI document without browser-session twins. */
export function readPublishedDocument(root) {
  return withoutWorkspaceTwins(JSON.parse(readFileSync(join(root, 'apps', 'gateway', 'openapi', 'openapi.json'), 'utf8')));
}

/** The document, and each of its operations prepared for the SDKs. */
export function readDocument(root) {
  const document = readPublishedDocument(root);
  const prices = JSON.parse(readFileSync(join(root, 'libs', 'domain', 'pricing', 'data', 'prices.json'), 'utf8'));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(document, prices, path, method, operation)),
  );
  return { document, operations };
}

function readOperation(document, prices, path, method, operation) {
  const id = operation.operationId;
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(document, parameter));
  const places = (place) => parameters.filter((parameter) => parameter.in === place);
  const body = operation.requestBody === undefined ? null : resolved(document, operation.requestBody);
  if (body !== null && places('query').length > 0) throw new Error(`${id} has a body and a query, but the SDK takes both from one object.`);
  const content = Object.keys(operation.responses['200'].content ?? {});
  const kind = kindOf(id, content);
  const [group, ownName] = clientNameOf(operation).split('.');
  const required = [...places('path'), ...places('query')].filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const bodyRequired = body === null ? [] : (resolved(document, body.content[JSON_TYPE].schema).required ?? []);
  return {
    id,
    group,
    method: ownName,
    http: method.toUpperCase(),
    path,
    kind,
    summary: operation.summary,
    description: operation.description,
    scope: operation['x-scope'],
    sandbox: operation['x-sandbox'],
    needsCredential: operation['x-access'].requires_api_key,
    parameters: [...places('path'), ...places('query')],
    bodySchema: body === null ? null : body.content[JSON_TYPE].schema,
    answerSchema: operation.responses['200'].content?.[JSON_TYPE]?.schema ?? null,
    hasParameters: body !== null || places('path').length + places('query').length > 0,
    needsParameters: required.length + bodyRequired.length > 0,
    hasBody: body !== null,
    needsBody: body?.required === true,
    price: operation['x-price'] === undefined ? null : priceOf(prices, operation['x-price'], parameters),
    rows: places('query').some((parameter) => parameter.name === 'cursor') ? rowField(document, operation) : null,
    isRepeatable: parameters.some((parameter) => parameter.name === IDEMPOTENCY),
    waits: operation['x-waits'] ?? null,
  };
}

/** Kind of an answer: JSON, text, file, or server-sent events. */
function kindOf(id, content) {
  if (content.includes(JSON_TYPE)) return 'json';
  if (content.includes(STREAM_TYPE)) return 'stream';
  if (content.every((type) => type.startsWith('text/') || type === 'image/svg+xml')) return 'text';
  if (content.includes('*/*') || content.includes('application/gzip')) return 'file';
  throw new Error(`The SDK cannot read an answer of ${id}: ${content.join(', ')}.`);
}

/** Row list of a paged answer. */
function rowField(document, operation) {
  const { properties } = resolved(document, operation.responses['200'].content[JSON_TYPE].schema);
  const lists = Object.keys(properties).filter((name) => resolved(document, properties[name]).type === 'array');
  const field = ROW_FIELDS.find((name) => lists.includes(name)) ?? (lists.length === 1 ? lists[0] : undefined);
  if (field === undefined || !('next_cursor' in properties)) throw new Error(`${operation.operationId} is paged but has no list of rows.`);
  return field;
}

export function resolved(document, part) {
  if (part.$ref === undefined) return part;
  const found = part.$ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at[name], document);
  return resolved(document, found);
}

/** Maximum cost of a call, as a formula for the SDK and in words. */
function priceOf({ families, stream_messages_a_credit: messages }, { family, counted }, parameters) {
  const { base, unit_size: size, rounding = 'ceil', credit, unit } = families[family];
  const cost = (units) => (unit === undefined ? base : base + Math[rounding](units / size));
  const credits = (total) => `${total} ${credit === 'export' ? 'export ' : ''}credit${total === 1 ? '' : 's'}`;
  switch (counted.by) {
    case 'nothing':
      return { bound: 0, words: 'free, with a receipt' };
    case 'call':
      return { bound: cost(0), words: credits(cost(0)) };
    case 'page':
    case 'candles':
      return { bound: cost(counted.rows_max), words: `at most ${credits(cost(counted.rows_max))} per page` };
    case 'rows':
      return {
        bound: cost(counted.rows_max),
        words: `${credits(base)}, plus 1 per ${size} rows (rounded up), at most ${counted.rows_max} rows`,
      };
    case 'parameter': {
      const { schema } = parameters.find(({ name }) => name === counted.parameter);
      const bound = { base, size, up: rounding === 'ceil', of: counted.parameter, usual: schema.default };
      const steps = rounding === 'ceil' ? `per ${size} (rounded up)` : `per ${size} (rounded down)`;
      return { bound, words: `at most ${credits(base)}, plus 1 ${steps} of \`${counted.parameter}\`` };
    }
    case 'symbols':
      return { bound: 'symbols', words: '1 credit per symbol returned' };
    case 'messages':
      return { bound: 'messages', words: `1 credit per ${messages} messages (rounded up); heartbeats are free` };
    case 'export_rows':
      return { bound: 'unknown', words: `at most ${credits(base)}, plus 1 per ${size} rows (rounded up)` };
    default:
      throw new Error(`The SDK cannot count by ${counted.by}.`);
  }
}

/** Facts of an operation at run time, without defaults. */
export function factsOf(operation) {
  return {
    method: operation.http,
    path: operation.path,
    ...(operation.kind === 'json' ? {} : { kind: operation.kind }),
    ...(operation.hasBody ? { body: operation.needsBody ? 'required' : 'optional' } : {}),
    ...(operation.needsCredential ? {} : { open: true }),
    ...(operation.price === null ? {} : { price: operation.price.bound }),
    ...(operation.rows === null ? {} : { rows: operation.rows }),
    ...(operation.isRepeatable ? { repeatable: true } : {}),
    ...(operation.waits === null ? {} : { waits: operation.waits }),
  };
}

/** Description, cost and requirements of an operation, wrapped to a width. */
export function docLines({ id, http, path, summary, description, scope, sandbox, price, isRepeatable, needsCredential }, width) {
  const facts = [
    `\`${http} ${path}\`, operation \`${id}\`.`,
    price === null ? 'Not metered.' : `Price: ${price.words}.`,
    needsCredential ? `Scope: \`${scope}\`.` : 'No key needed.',
    ...(sandbox === 'refused' ? ['Not available to sandbox keys.'] : []),
    ...(isRepeatable ? [`Sent with an \`${IDEMPOTENCY}\`, so it is safe to retry.`] : []),
  ];
  return [`${summary}.`, '', ...wrapped(description, width), '', ...wrapped(facts.join(' '), width)];
}

export function wrapped(text, width) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.length - 1;
    if (lines[last].length + word.length > width) lines.push(word);
    else lines[last] = lines[last] === '' ? word : `${lines[last]} ${word}`;
  }
  return lines;
}

export function groupedBy(operations) {
  const groups = new Map();
  for (const operation of operations) groups.set(operation.group, [...(groups.get(operation.group) ?? []), operation]);
  return groups;
}
