import { operationById, operations } from '../openapi/operations';
import { type Described, documentedWord } from '../openapi/described';

/** Paths that can be opened by following them, parameters in their place. */
const PATTERNS = operations
  .filter(({ method }) => method === 'get')
  .map(({ path }) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`));

/** Whether a route, with its query or without, is one that this service serves: packets of other versions may name others. */
export function isServedRoute(route: string): boolean {
  const [path = ''] = route.split('?', 1);
  return PATTERNS.some((pattern) => pattern.test(path));
}

/** A route that can be called as it is given: nothing is linked before it is served. */
export type LiveLink = Described<'LiveLink'>;

const methodNamed = documentedWord('LiveLink', 'method');

/** What a link is to hold. */
export interface LinkWish {
  readonly rel: string;
  readonly operationId: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly purpose: string;
}

function routeOf(template: string, { path = {}, query = {} }: LinkWish): string {
  const filled = template.replace(/\{([^}]+)\}/g, (_place, name: string) => encodeURIComponent(path[name] ?? ''));
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parameters.length === 0 ? filled : `${filled}?${parameters.join('&')}`;
}

/** Links as an answer holds them. */
export function liveLinks(wishes: readonly LinkWish[]): LiveLink[] {
  return wishes.flatMap((wish) => {
    const { method, path, requiresApiKey, metered } = operationById(wish.operationId);
    return [
      {
        rel: wish.rel,
        method: methodNamed(method.toUpperCase()),
        route: routeOf(path, wish),
        body: wish.body ?? null,
        purpose: wish.purpose,
        access: requiresApiKey ? ('after_key' as const) : ('pre_key' as const),
        requires_api_key: requiresApiKey,
        metered,
      },
    ];
  });
}
