import { createHash } from 'node:crypto';
import { loadPolicy } from '@market-state/labeler';
import type { Express } from 'express';
import { openApiDocument } from '../serving/openapi/document';
import { operations } from '../serving/openapi/operations';

/** SHA-256 of each part of a release, lower-case hex, by the part's name. */
export type ReleaseParts = ReadonlyMap<string, string>;

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * SHA-256 over one line a part, sorted by name, as `sha256sum` prints them: the hash, two spaces, the name, a line feed.
 * Names are ASCII, so that every sort agrees.
 */
export function fingerprintOf(parts: ReleaseParts): string {
  const names = [...parts.keys()].sort();
  return sha256Of(names.map((name) => `${parts.get(name) ?? ''}  ${name}\n`).join(''));
}

/** Those parts whose name begins so. */
export function partsUnder(parts: ReleaseParts, prefix: string): ReleaseParts {
  return new Map([...parts].filter(([name]) => name.startsWith(prefix)));
}

/** The document's bytes as its routes send them. */
const OPENAPI_BYTES = Buffer.from(JSON.stringify(openApiDocument));

/** A route as lists of them name it: the method in capitals, a space, the path with parameters in braces. */
function routeLine(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Every route that the document describes. */
export function describedRoutes(): string[] {
  return operations.map(({ method, path }) => routeLine(method, path)).sort();
}

/** The parts that never change while a gateway runs: the document and the labeler's policy. */
function heldParts(): ReleaseParts {
  held ??= new Map([
    ['interface/openapi.json', sha256Of(OPENAPI_BYTES)],
    ['policy', loadPolicy().digest],
  ]);
  return held;
}

let held: ReleaseParts | undefined;

/**
 * The parts that a gateway holds in memory: the document, the routes (one line each, sorted) and the labeler's policy.
 * @param routes those that are served; when a release is recorded, those described
 */
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

/** Version of the documentation: its name and the beginning of the fingerprint of its manifest. */
export function pageVersion(parts: ReleaseParts): string {
  return `documentation-${fingerprintOf(partsUnder(parts, 'page/')).slice(0, 12)}`;
}

/** What of a layer of Express' router tells of its routes. */
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

/**
 * Every route of an application's router, whoever put it there: read off the router itself, sorted, each once. A router mounted inside says
 * so, for its prefix is not told.
 */
export function servedRoutes(app: Express): string[] {
  const { stack } = app.router as unknown as { readonly stack: readonly Layer[] };
  return [...new Set(linesOf(stack, ''))].sort();
}

/** The paths of such lines, each once. */
export function pathsOf(routes: readonly string[]): Set<string> {
  return new Set(routes.map((line) => line.slice(line.indexOf(' ') + 1)));
}
