import { readFileSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import { describeMetering, METERED_HEADERS } from './metered';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Folders whose files become named components; files of any other folder are put where they are referred to. */
const COMPONENT_FOLDERS = ['parameters', 'responses', 'schemas'] as const;

function componentName(file: string): string {
  return basename(file, '.yaml').replace(/(?:^|-)([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(value: Json | undefined, change: (inner: Json) => Json): Json {
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)])) : {};
}

/** An operation with further answers. */
function withResponses(operation: Json, further: { [status: string]: Json }): Json {
  if (!isObject(operation)) return operation;
  const own = isObject(operation['responses']) ? operation['responses'] : {};
  return { ...operation, responses: { ...own, ...further } };
}

/**
 * The OpenAPI document of a tree of YAML files: every `$ref` to a local file becomes a reference to a named component, or
 * the file's content where the file is an operation. Operations get what all of them have in common, and metered ones what those have.
 * Throws when a file is missing or two files claim one name.
 */
export function bundleOpenApi(rootFile: string): { [key: string]: Json } {
  const owners = new Map<string, string>();
  const components: { [folder: string]: { [key: string]: Json } } = {};

  function follow(file: string): Json {
    const folder = dirname(file).split(sep).pop() ?? '';
    if (!COMPONENT_FOLDERS.some((known) => known === folder)) return read(file);
    const pointer = `#/components/${folder}/${componentName(file)}`;
    const owner = owners.get(pointer);
    if (owner !== undefined && owner !== file) throw new Error(`${owner} and ${file} are both ${pointer}`);
    if (owner === undefined) {
      owners.set(pointer, file);
      (components[folder] ??= {})[componentName(file)] = read(file);
    }
    return { $ref: pointer };
  }

  function walk(node: Json, file: string): Json {
    if (Array.isArray(node)) return node.map((item) => walk(item, file));
    if (!isObject(node)) return node;
    if (typeof node['$ref'] === 'string') return follow(resolve(dirname(file), node['$ref']));
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, walk(value, file)]));
  }

  function read(file: string): Json {
    return walk(parse(readFileSync(file, 'utf8')) as Json, file);
  }

  const document = read(resolve(rootFile));
  if (!isObject(document)) throw new Error(`${rootFile} is not an object`);
  const part = (file: string): Json => follow(resolve(dirname(rootFile), file));
  const metered = {
    parameters: [part('parameters/quote-id.yaml'), part('parameters/max-credits.yaml')],
    paymentRequired: part('responses/payment-required.yaml'),
    rateLimited: part('responses/rate-limited.yaml'),
    unavailable: part('responses/unavailable.yaml'),
  };
  const everywhere = { '417': part('responses/expectation-failed.yaml'), '421': part('responses/misdirected.yaml') };
  const paths = mapValues(document['paths'], (methods) =>
    mapValues(methods, (operation) => withResponses(describeMetering(operation, metered), everywhere)),
  );
  const own = isObject(document['components']) ? document['components'] : {};
  const sorted = Object.entries(components)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, entries]) => [folder, Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))]);
  return { ...document, paths, components: { ...own, headers: METERED_HEADERS, ...Object.fromEntries(sorted) } };
}
