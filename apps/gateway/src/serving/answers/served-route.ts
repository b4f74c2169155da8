import { operations } from '../openapi/operations';

/** Paths that can be opened by following them, parameters in their place. */
const PATTERNS = operations
  .filter(({ method }) => method === 'get')
  .map(({ path }) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`));

/** Whether a route, with its query or without, is one that this service serves: packets of other versions may name others. */
export function isServedRoute(route: string): boolean {
  const [path = ''] = route.split('?', 1);
  return PATTERNS.some((pattern) => pattern.test(path));
}
