const DATA = '/api/public/data/';
const WORKSPACE = '/api/public/market-state/workspace/data/';
const KEY_HEADER = '#/components/parameters/ApiKeyHeader';

/**
 * The document with a twin of every route of the data plane, which takes the browser session as well: same input, answers, scope and
 * price. A twin names its original in `x-twin-of`.
 */
export function withWorkspaceTwins({ paths, ...document }) {
  const twins = Object.entries(paths)
    .filter(([path]) => path.startsWith(DATA))
    .map(([path, methods]) => [path.replace(DATA, WORKSPACE), twinsOf(path, methods)]);
  return { ...document, paths: { ...paths, ...Object.fromEntries(twins) } };
}

/** The document without twins: each is served by its original's handler, and called by its original's method. */
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
