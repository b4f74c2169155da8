import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { withWorkspaceTwins } from './workspace-twins.mjs';

/** Folders whose files become components; other files are inlined where they are referenced. */
const COMPONENT_FOLDERS = ['examples', 'headers', 'parameters', 'responses', 'schemas'];

/** Start of a reference to a schema of the operation's own file. */
const OWN_SCHEMAS = '#/schemas/';

/** Header of every answer. */
const REQUEST_ID = {
  description: "Id of this request. It also appears in the service's log lines for the request.",
  schema: { type: 'string' },
};

const METERED_HEADERS = {
  'X-Credits-Charged': 'headers/x-credits-charged.yaml',
  'X-Credits-Remaining': 'headers/x-credits-remaining.yaml',
  'X-Receipt-Id': 'headers/x-receipt-id.yaml',
  'RateLimit-Policy': 'headers/rate-limit-policy.yaml',
  RateLimit: 'headers/rate-limit.yaml',
};

/**
 * Text of openapi.json: the joined files of apps/gateway/openapi, with a browser-session twin of each data-plane route.
 * @throws Error naming a missing or invalid file, or two components with one name
 */
export function openApiDocumentText(root) {
  return `${JSON.stringify(withWorkspaceTwins(joined(join(root, 'apps', 'gateway', 'openapi'))), null, 1)}\n`;
}

function joined(folder) {
  const components = Object.fromEntries(COMPONENT_FOLDERS.map((kind) => [kind, new Map()]));
  const { components: own, ...document } = read(join(folder, 'openapi.yaml'));
  const parts = COMPONENT_FOLDERS.map((kind) => [kind, sorted([...components[kind]].map(([name, { part }]) => [name, part]))]);
  return { ...document, components: { ...own, ...Object.fromEntries(parts) } };

  function read(file, referrer) {
    try {
      return withReferences(withoutOwnSchemas(parse(readFileSync(file, 'utf8')), file), file);
    } catch (error) {
      if (error.code === 'ENOENT') throw new Error(`${pathOf(referrer)} refers to ${pathOf(file)}, which does not exist.`);
      throw error.name === 'YAMLParseError' ? new Error(`${pathOf(file)}: ${error.message}`) : error;
    }
  }

  /** Registers the `schemas` of an operation's file, which others cannot use. */
  function withoutOwnSchemas(content, file) {
    if (content['x-access'] === undefined || content.schemas === undefined) return content;
    const { schemas, ...operation } = content;
    for (const [name, schema] of Object.entries(schemas))
      register('schemas', typeName(name), `${file}${OWN_SCHEMAS}${name}`, () => withReferences(schema, file));
    return operation;
  }

  function withReferences(value, file) {
    if (Array.isArray(value)) return value.map((item) => withReferences(item, file));
    if (typeof value !== 'object' || value === null) return value;
    if (value.$ref?.startsWith(OWN_SCHEMAS)) return { $ref: `#/components/schemas/${typeName(value.$ref.slice(OWN_SCHEMAS.length))}` };
    if (typeof value.$ref === 'string') return referenced(resolve(dirname(file), value.$ref), file);
    const whole = value['x-access'] === undefined ? value : withCommonAnswers(value, folder);
    return Object.fromEntries(Object.entries(whole).map(([key, part]) => [key, withReferences(part, file)]));
  }

  /** A reference to a component, or the content of another file. */
  function referenced(file, referrer) {
    const [kind] = relative(folder, file).split('/');
    if (!(kind in components)) return read(file, referrer);
    const name = typeName(basename(file, '.yaml'));
    register(kind, name, file, () => read(file, referrer));
    return { $ref: `#/components/${kind}/${name}` };
  }

  function register(kind, name, file, make) {
    const known = components[kind].get(name);
    if (known !== undefined && known.file !== file) throw new Error(`${pathOf(file)} and ${pathOf(known.file)} would both be ${name}.`);
    if (known !== undefined) return;
    // Registered before it is made, because a schema may refer to itself.
    const component = { file };
    components[kind].set(name, component);
    component.part = make();
  }

  function pathOf(file) {
    return relative(folder, file);
  }
}

/**
 * Adds shared answers to an operation: 417, 421 and 422 for all; 429 and 503 except for probes; 401 and 403 with a
 * credential; 413 and 415 with a body; 304 with a validator; 402, cost parameters and cost headers if metered. The
 * operation's own answers take precedence.
 */
function withCommonAnswers(operation, folder) {
  const part = (file) => ({ $ref: join(folder, file) });
  const { metered, requires_api_key: needsCredential } = operation['x-access'];
  const isProbe = operation.tags.includes('operations');
  const hasBody = operation.requestBody !== undefined;
  const ok = operation.responses['200'];
  const headers = {
    'X-Request-Id': REQUEST_ID,
    ...ok.headers,
    ...(metered ? Object.fromEntries(Object.entries(METERED_HEADERS).map(([name, file]) => [name, part(file)])) : {}),
  };
  const bounds = metered ? [part('parameters/quote-id.yaml'), part('parameters/max-credits.yaml')] : [];
  const parameters = [...(operation.parameters ?? []), ...bounds];
  return {
    ...operation,
    ...(parameters.length > 0 && { parameters }),
    responses: {
      ...(!isProbe && { 429: part('responses/rate-limited.yaml'), 503: part('responses/unavailable.yaml') }),
      ...(needsCredential && { 401: part('responses/unauthorized.yaml'), 403: part('responses/forbidden.yaml') }),
      ...(hasBody && { 413: part('responses/payload-too-large.yaml'), 415: part('responses/unsupported-media-type.yaml') }),
      ...(ok.headers?.ETag !== undefined && !hasBody && { 304: part('responses/not-modified.yaml') }),
      422: part('responses/unprocessable.yaml'),
      ...operation.responses,
      ...(ok.$ref === undefined && { 200: { description: ok.description, headers, ...without(ok, 'headers') } }),
      ...(metered && { 402: part('responses/payment-required.yaml') }),
      417: part('responses/expectation-failed.yaml'),
      421: part('responses/misdirected.yaml'),
    },
  };
}

function without(object, name) {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** `candle-cursor` → `CandleCursor`. */
function typeName(name) {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_match, letter) => letter.toUpperCase());
}

function sorted(entries) {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
