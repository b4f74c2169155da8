import { openApiDocument, type Schema } from '../../../serving/openapi/document';

const PREFIX = '#/components/schemas/';

function purposeOf(schema: Schema): string {
  const named = schema.$ref === undefined ? undefined : openApiDocument.components.schemas[schema.$ref.slice(PREFIX.length)];
  return String(schema['description'] ?? named?.['description'] ?? '');
}

/** Every field of a packet with its purpose, as the document describes it. */
export function packetSchema(): { readonly field: string; readonly purpose: string }[] {
  const properties = (openApiDocument.components.schemas['Packet']?.['properties'] ?? {}) as Record<string, Schema>;
  return Object.entries(properties).map(([field, schema]) => ({ field, purpose: purposeOf(schema) }));
}
