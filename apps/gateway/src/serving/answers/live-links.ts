import { operationById, operations } from '../openapi/operations';
import { type Described, documentedWord } from '../openapi/document';

const PATTERNS = operations
  .filter(({ method }) => method === 'get')
  .map(({ path }) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`));

/** Packets of other versions may name routes that are not served. */
export function isServedRoute(route: string): boolean {
  const [path = ''] = route.split('?', 1);
  return PATTERNS.some((pattern) => pattern.test(path));
}

/** Link to a route that is served and can be called as is. */
export type LiveLink = Described<'LiveLink'>;

const methodNamed = documentedWord('LiveLink', 'method');

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
