const DATA = '/api/public/data/';
const WORKSPACE = '/api/public/market-state/workspace/data/';
const KEY_HEADER = '#/components/parameters/ApiKeyHeader';

/**
 * Adds a twin of every data-plane route that also accepts a browser session: same input, answers, scope and price.
 * `x-twin-of` names the original.
 */
export function withWorkspaceTwins({ paths, ...document }) {
  const twins = Object.entries(paths)
    .filter(([path]) => path.startsWith(DATA))
    .map(([path, methods]) => [path.replace(DATA, WORKSPACE), twinsOf(path, methods)]);
  return { ...document, paths: { ...paths, ...Object.fromEntries(twins) } };
}

/** Removes twins: each is served and called by its original's handler and method. */
export function withoutWorkspaceTwins({ paths, ...document }) {
  return { ...document, paths: Object.fromEntries(Object.entries(paths).filter(([path]) => !path.startsWith(WORKSPACE))) };
}

function twinsOf(path, methods) {
  return Object.fromEntries(
    Object.entries(methods).map(([method, operation]) => [method, twinOf(`${method.toUpperCase()} ${path}`, operation)]),
  );
}

function twinOf(route, { operationId, summary, security, parameters, ...same }) {
  return {
    operationId: `${operationId}InWorkspace`,
    'x-twin-of': operationId,
    summary: `${summary} (workspace)`,
    ...same,
    tags: ['workspace'],
    description: `Same as \`${route}\`, but also accepts a browser session.`,
    security: [...security, { MarketStateAccountSession: [] }],
    parameters: parameters.filter(({ $ref }) => $ref !== KEY_HEADER),
  };
}
