import type { RunningSystem } from './scene';

/** An operation as the document has it. */
export interface DocumentedOperation {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

/** Every operation of the document that a system serves, by its id. */
export async function readOperations({ url }: RunningSystem): Promise<ReadonlyMap<string, DocumentedOperation>> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, { method: method.toUpperCase(), path }] as const),
    ),
  );
}
