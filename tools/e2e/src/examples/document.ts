import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** An operation as the document has it. */
export interface DocumentedOperation {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string; readonly 'x-twin-of'?: string }>>>>;
}

/** Every operation of the document by its id, but twins, whose examples are their originals'. */
export function readOperations(): ReadonlyMap<string, DocumentedOperation> {
  const { paths } = JSON.parse(readFileSync(join(workspaceRoot(), 'apps', 'gateway', 'openapi', 'openapi.json'), 'utf8')) as Document;
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation['x-twin-of'] === undefined)
        .map(([method, { operationId }]) => [operationId, { method: method.toUpperCase(), path }] as const),
    ),
  );
}
