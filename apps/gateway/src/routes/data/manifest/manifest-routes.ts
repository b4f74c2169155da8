import { openApiDocument, type Parameter } from '../../../serving/openapi/document';
import { type Operation, operations } from '../../../serving/openapi/operations';
import type { Described } from '../../../serving/openapi/described';

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

type Place = Described<'ManifestParameter'>['in'];

/** A parameter with its type and bounds, as the manifest lists it. */
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

/** Name of the schema of an operation's 200; null where it is no JSON of a named schema. */
export function responseSchemaOf({ path, method }: Pick<Operation, 'path' | 'method'>): string | null {
  const reference = openApiDocument.paths[path]?.[method]?.responses?.['200']?.content?.['application/json']?.schema.$ref;
  return reference?.replace('#/components/schemas/', '') ?? null;
}

/** Every route that is served with its access flags. */
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
