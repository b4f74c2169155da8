import type { Express } from 'express';
import { routeLine } from './interface-parts';

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
