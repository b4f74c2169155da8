import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { waitUntil } from '@market-state/testing';
import type { Example } from './example-file';
import type { Step } from './step';

/** The one answer that is asked for before a system is ready. */
export const unreadyStep: Step = { operation: 'getReadyz', status: 503, summary: 'A system that has just started.' };

export async function unreadyExample({ url }: { readonly url: string }): Promise<Example> {
  const value = await waitUntil('an answer that it is not ready', async () => {
    const response = await fetch(`${url}/readyz`);
    return response.status === 503 && ((await response.json()) as object);
  });
  return { summary: unreadyStep.summary, left: [], value, type: 'application/json' };
}

export interface DocumentedOperation {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string; readonly 'x-twin-of'?: string }>>>>;
}

/** Every operation by id, except twins, which share their original's examples. */
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
