import { createHash } from 'node:crypto';
import { loadPolicy } from '@market-state/labeler';
import type { Express } from 'express';
import { openApiDocument } from '../serving/openapi/document';
import { operations } from '../serving/openapi/operations';

/** Part name → SHA-256 in lower-case hex. */
export type ReleaseParts = ReadonlyMap<string, string>;

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** SHA-256 over lines as of `sha256sum`, sorted by name. Names are ASCII, so every sort order agrees. */
export function fingerprintOf(parts: ReleaseParts): string {
  const names = [...parts.keys()].sort();
  return sha256Of(names.map((name) => `${parts.get(name) ?? ''}  ${name}\n`).join(''));
}

export function partsUnder(parts: ReleaseParts, prefix: string): ReleaseParts {
  return new Map([...parts].filter(([name]) => name.startsWith(prefix)));
}

const OPENAPI_BYTES = Buffer.from(JSON.stringify(openApiDocument));

function routeLine(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

export function describedRoutes(): string[] {
  return operations.map(({ method, path }) => routeLine(method, path)).sort();
}

/** Constant while a gateway runs. */
function heldParts(): ReleaseParts {
  held ??= new Map([
    ['interface/openapi.json', sha256Of(OPENAPI_BYTES)],
    ['policy', loadPolicy().digest],
  ]);
  return held;
}

let held: ReleaseParts | undefined;

/** @param routes served routes, or the described routes when recording a release */
export function interfaceParts(routes: readonly string[]): ReleaseParts {
  return new Map([
    ...heldParts(),
    [
      'interface/routes',
      sha256Of(
        [...routes]
          .sort()
          .map((line) => `${line}\n`)
          .join(''),
      ),
    ],
  ]);
}

export function pageVersion(parts: ReleaseParts): string {
  return `documentation-${fingerprintOf(partsUnder(parts, 'page/')).slice(0, 12)}`;
}

interface Layer {
  readonly route?: { readonly path: unknown; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle?: { readonly stack?: readonly Layer[] };
}

function linesOf(layers: readonly Layer[], mounted: string): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (route === undefined) return handle?.stack === undefined ? [] : linesOf(handle.stack, '(mounted)');
    const path = mounted + String(route.path).replace(/:(\w+)/g, '{$1}');
    const methods = Object.keys(route.methods).filter((method) => method !== '_all');
    return (methods.length === 0 ? ['any'] : methods).map((method) => routeLine(method, path));
  });
}

/** Sorted and unique. Mounted routers are marked, because Express does not expose their prefix. */
export function servedRoutes(app: Express): string[] {
  const { stack } = app.router as unknown as { readonly stack: readonly Layer[] };
  return [...new Set(linesOf(stack, ''))].sort();
}

export function pathsOf(routes: readonly string[]): Set<string> {
  return new Set(routes.map((line) => line.slice(line.indexOf(' ') + 1)));
}
