import type { marketData } from '@market-state/contracts';
import { loadPolicy } from '@market-state/labeler';
import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { servedSymbols } from '../../clients/market-data-client';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { jsonBytes, jsonRepresentation, splicedRepresentation } from '../../serving/http/representation';
import { type Described, openApiDocument, type Parameter, type Schema } from '../../serving/openapi/document';
import { type Operation, operations, originals } from '../../serving/openapi/operations';
import { DEFAULT_WINDOW_MS } from '../../streams/replay';
import type { ReadDeps } from '../../clients/upstreams';

type Limit = Described<'ManifestLimit'>;

const PARAMETER_UNITS: Readonly<Record<string, string>> = {
  depth: 'levels',
  limit: 'rows',
  window_seconds: 'seconds',
  replay_window_seconds: 'seconds',
};

/** Bounds of numeric parameters, grouped by parameter and bounds. */
function parameterLimits(): Limit[] {
  const limits = new Map<string, Limit & { applies_to: string[] }>();
  for (const { path, parameters } of originals) {
    for (const { name, schema } of parameters) {
      const unit = PARAMETER_UNITS[name];
      if (unit === undefined || typeof schema['maximum'] !== 'number') continue;
      const key = JSON.stringify([name, schema['minimum'], schema['maximum'], schema.default]);
      const known = limits.get(key);
      if (known !== undefined) known.applies_to.push(path);
      else
        limits.set(key, {
          limit: name,
          minimum: Number(schema['minimum']),
          maximum: schema['maximum'],
          default: Number(schema.default),
          unit,
          applies_to: [path],
        });
    }
  }
  return [...limits.values()];
}

/** Null for spans that are not of a replay: their defaults depend on the operation. */
function defaultOf(parameters: readonly Parameter[]): number | null {
  return parameters.some(({ name }) => name === 'start') ? DEFAULT_WINDOW_MS : null;
}

/** Bounds of all served routes; workspace twins share those of their originals. */
export function manifestLimits(): Limit[] {
  const windows = originals.flatMap(({ path, windowMsMax, parameters }) =>
    windowMsMax === null
      ? []
      : [
          {
            limit: 'window_ms',
            minimum: 1,
            maximum: windowMsMax,
            default: defaultOf(parameters),
            unit: 'milliseconds',
            applies_to: [path],
          },
        ],
  );
  return [
    ...parameterLimits(),
    ...windows,
    { limit: 'rows_a_page', minimum: null, maximum: 5_000, default: null, unit: 'rows', applies_to: ['/api/public/data/replay/window'] },
    { limit: 'candles_a_page', minimum: null, maximum: 1_000, default: null, unit: 'rows', applies_to: ['/api/public/data/candles'] },
    {
      limit: 'book_levels_in_a_row',
      minimum: 1,
      maximum: 25,
      default: null,
      unit: 'levels',
      applies_to: ['/api/public/data/replay/window', '/api/public/data/stream'],
    },
    { limit: 'query_bytes', minimum: null, maximum: 2_048, default: null, unit: 'bytes', applies_to: ['*'] },
    { limit: 'query_parameters', minimum: null, maximum: 32, default: null, unit: 'parameters', applies_to: ['*'] },
    { limit: 'body_bytes', minimum: null, maximum: 65_536, default: null, unit: 'bytes', applies_to: ['*'] },
    {
      limit: 'packet_interval_ms',
      minimum: 10_000,
      maximum: 10_000,
      default: 10_000,
      unit: 'milliseconds',
      applies_to: ['/api/public/market-state/latest'],
    },
  ];
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

type Place = Described<'ManifestParameter'>['in'];

function toParameter(place: Place, { name, required, schema }: Parameter): Described<'ManifestParameter'> {
  const { type, default: fallback, minimum, maximum } = schema;
  return {
    name,
    in: place,
    required,
    type: [type ?? 'string'].flat().join(' or '),
    default: fallback === undefined ? null : String(fallback),
    minimum: numberOrNull(minimum),
    maximum: numberOrNull(maximum),
    allowed: Array.isArray(schema['enum']) ? schema['enum'].map(String) : null,
  };
}

/** Schema name of an operation's 200 response; null unless it is JSON with a named schema. */
export function responseSchemaOf({ path, method }: Pick<Operation, 'path' | 'method'>): string | null {
  const reference = openApiDocument.paths[path]?.[method]?.responses?.['200']?.content?.['application/json']?.schema.$ref;
  return reference?.replace('#/components/schemas/', '') ?? null;
}

export function manifestRoutes(): Described<'ManifestRoute'>[] {
  return [...operations]
    .sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1))
    .map((operation) => ({
      operation_id: operation.operationId,
      method: operation.method.toUpperCase(),
      path: operation.path,
      summary: operation.summary,
      requires_api_key: operation.requiresApiKey,
      metered: operation.metered,
      parameters: operation.parameters.flatMap((parameter) => (parameter.in === 'header' ? [] : [toParameter(parameter.in, parameter)])),
      response_schema: responseSchemaOf(operation),
    }));
}

const PREFIX = '#/components/schemas/';

/** Packets inside rows are listed as plain objects; the market-state routes document them. */
const PACKET = 'Packet';

/** Units implied by a field's suffix. */
const UNITS_BY_ENDING: readonly (readonly [string, string])[] = [
  ['_utc', 'utc_time'],
  ['_ms', 'milliseconds'],
  ['_total', 'count'],
];

function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.slice(PREFIX.length);
}

/** Unwraps a nullable field. */
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

/** Documented unit, or the one its name implies; null if it has none. */
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

/** Collects a schema and all schemas that its fields refer to. */
function reachable(name: string, seen: Set<string>): void {
  if (seen.has(name) || name === PACKET) return;
  seen.add(name);
  for (const match of JSON.stringify(openApiDocument.components.schemas[name] ?? {}).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
    reachable(match[1] ?? '', seen);
}

function isOfDataPlane({ path }: Operation): boolean {
  return path.startsWith('/api/public/data/');
}

export function manifestSchemas() {
  const names = new Set<string>();
  for (const operation of operations.filter(isOfDataPlane)) {
    const name = responseSchemaOf(operation);
    if (name !== null) reachable(name, names);
  }
  return [...names].sort().map(toSchema);
}

/** Constant while the process runs, so computed and serialized once, on first use. */
let fixed: ReturnType<typeof fixedParts> | undefined;

function fixedParts() {
  const { versions, digest } = loadPolicy();
  const routes = manifestRoutes();
  const fields = {
    version: openApiDocument.info.version,
    row_schema: EVENT_ROW_SCHEMA,
    packet_schema: 'market_state.v1',
    routes: [],
    route_total: routes.length,
    schemas: [],
    limits: [],
    policy_versions: versions,
    policy_digest: digest,
  };
  const listOf = (items: readonly object[]): Buffer[] => [jsonBytes(items).subarray(1, -1)];
  return { fields, lists: { routes: listOf(routes), schemas: listOf(manifestSchemas()), limits: listOf(manifestLimits()) } };
}

export function getDataManifest({ marketData: client, dataHealth, now }: ReadDeps): Handler<'getDataManifest'> {
  return async ({ operation, grant }) => {
    const source = serviceSource(await servedSymbols(client), dataHealth, now());
    const { fields, lists } = (fixed ??= fixedParts());
    return splicedRepresentation(dataAnswer({ operation, grant }, source, fields), lists);
  };
}

function toRights({
  featureClass,
  allowedUses,
  redistribution,
  hotDays,
  archiveDays,
}: marketData.FeatureClassRights): Described<'FeatureClassRights'> {
  return {
    feature_class: featureClass,
    allowed_uses: allowedUses,
    redistribution,
    retention: { hot_days: hotDays, archive_days: archiveDays },
  };
}

export function getDataRights({ marketData: client, dataHealth, now }: ReadDeps): Handler<'getDataRights'> {
  return async ({ operation, grant }) => {
    const [{ featureClasses }, symbols] = await Promise.all([client.call.getRights({}), servedSymbols(client)]);
    const fields = { dataset_resale_right: 'not_included_by_default' as const, feature_classes: featureClasses.map(toRights) };
    return jsonRepresentation(dataAnswer({ operation, grant }, serviceSource(symbols, dataHealth, now()), fields));
  };
}
