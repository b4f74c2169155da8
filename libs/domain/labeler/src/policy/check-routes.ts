import type { RoutesFile } from './content';
import type { Report } from './fault';
import type { Taxonomy } from './taxonomy';

const PARAMETERS = new Set(['symbol', 'event_id', 'cursor', 'window_start_ms', 'window_end_ms']);

/** Every name must lead to a path, every recommendation to a route, and no path may ask for a parameter that packets lack. */
export function checkRoutes(file: RoutesFile, taxonomy: Taxonomy, report: Report): void {
  for (const [name, path] of Object.entries(file.routes)) {
    for (const [, parameter] of path.matchAll(/\{([^}]*)\}/g)) {
      if (!PARAMETERS.has(parameter ?? '')) report(`/routes/${name}`, `asks for an unknown parameter, "${parameter}"`);
    }
  }
  file.route_refs.forEach((name, i) => {
    if (!(name in file.routes)) report(`/route_refs/${i}`, `("${name}") is no route`);
  });
  const recommendations = taxonomy.kinds.get('route_recommendations');
  for (const value of recommendations?.keys() ?? []) {
    if (!(value in file.recommended)) report('/recommended', `lacks a route for "${value}"`);
  }
  for (const [value, name] of Object.entries(file.recommended)) {
    if (!recommendations?.has(value)) report(`/recommended/${value}`, 'is not one of the route_recommendations');
    if (!(name in file.routes)) report(`/recommended/${value}`, `("${name}") is no route`);
  }
}
