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
  readonly summary: string;
  readonly needsKey: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-access': { readonly requires_api_key: boolean };
  readonly 'x-twin-of'?: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Every operation by id, except twins, which share their original's examples. */
export function readOperations(): ReadonlyMap<string, DocumentedOperation> {
  const { paths } = JSON.parse(readFileSync(join(workspaceRoot(), 'apps', 'gateway', 'openapi', 'openapi.json'), 'utf8')) as Document;
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation['x-twin-of'] === undefined)
        .map(([method, { operationId, summary, 'x-access': access }]) => {
          const operation = { method: method.toUpperCase(), path, summary, needsKey: access.requires_api_key };
          return [operationId, operation] as const;
        }),
    ),
  );
}

/**
 * Steps of the operations without their own: reads whose path has no parameters, called without any.
 * @throws Error naming an operation that needs its own step
 */
export function plainSteps(operations: ReadonlyMap<string, DocumentedOperation>, own: readonly Step[]): readonly Step[] {
  const known = new Set(own.map(({ operation }) => operation));
  return [...operations]
    .filter(([id]) => !known.has(id))
    .map(([id, { method, path, summary, needsKey }]) => {
      if (method !== 'GET' || path.includes('{')) throw new Error(`${id} needs a step in tools/e2e/src/examples/steps.`);
      return { operation: id, summary: `${summary}.`, as: needsKey ? 'key' : 'anonymous' };
    });
}
