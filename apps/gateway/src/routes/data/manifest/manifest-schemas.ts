import { openApiDocument, type Schema } from '../../../serving/openapi/document';
import { type Operation, operations } from '../../../serving/openapi/operations';
import { responseSchemaOf } from './manifest-routes';
import type { Described } from '../../../serving/openapi/described';

const PREFIX = '#/components/schemas/';

/** Packets in rows are listed as plain objects: the market-state routes document them. */
const PACKET = 'Packet';

/** Units that follow from the end of a field's name. */
const UNITS_BY_ENDING: readonly (readonly [string, string])[] = [
  ['_utc', 'utc_time'],
  ['_ms', 'milliseconds'],
  ['_total', 'count'],
];

function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.slice(PREFIX.length);
}

/** The schema behind a field that may also be null. */
function unwrapped(schema: Schema): { readonly schema: Schema; readonly nullable: boolean } {
  const alternatives = schema['oneOf'] as readonly Schema[] | undefined;
  if (alternatives !== undefined) return { schema: alternatives.find(({ type }) => type !== 'null') ?? schema, nullable: true };
  return { schema, nullable: Array.isArray(schema.type) && schema.type.includes('null') };
}

function typeOf(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name === PACKET ? 'object' : name;
  const type = [schema.type ?? 'object']
    .flat()
    .filter((candidate) => candidate !== 'null')
    .join(' or ');
  if (type === 'array') return `list of ${typeOf((schema['items'] ?? {}) as Schema)}`;
  const pattern = String(schema['pattern'] ?? '');
  if (type === 'string' && pattern.includes('\\d{4}-')) return 'timestamp';
  return type === 'string' && pattern.endsWith('\\d+(\\.\\d+)?$') ? 'decimal' : type;
}

/** The unit of a field: as the document states it, or as its name tells. Null where it has none. */
function unitOf(field: string, schema: Schema): string | null {
  if (typeof schema['x-unit'] === 'string') return schema['x-unit'];
  return UNITS_BY_ENDING.find(([ending]) => field.endsWith(ending))?.[1] ?? null;
}

function describe(schema: Schema): string {
  const name = nameOf(schema);
  const own = schema['description'] ?? (name === undefined ? '' : openApiDocument.components.schemas[name]?.['description']);
  return String(own ?? '');
}

function toSchema(name: string): Described<'ManifestSchema'> {
  const schema = openApiDocument.components.schemas[name] ?? {};
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([field, property]) => {
    const { schema: inner, nullable } = unwrapped(property);
    return {
      field,
      type: typeOf(inner),
      unit: unitOf(field, property),
      nullable,
      required: required.has(field),
      description: describe(property),
    };
  });
  return { name, description: describe(schema), fields };
}

/** Names of the schemas that a schema's fields lead to, itself first. */
function reachable(name: string, seen: Set<string>): void {
  if (seen.has(name) || name === PACKET) return;
  seen.add(name);
  for (const match of JSON.stringify(openApiDocument.components.schemas[name] ?? {}).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
    reachable(match[1] ?? '', seen);
}

function isOfDataPlane({ path }: Operation): boolean {
  return path.startsWith('/api/public/data/');
}

/** Every schema of the data plane's answers, and those they lead to, by name. */
export function manifestSchemas() {
  const names = new Set<string>();
  for (const operation of operations.filter(isOfDataPlane)) {
    const name = responseSchemaOf(operation);
    if (name !== null) reachable(name, names);
  }
  return [...names].sort().map(toSchema);
}
