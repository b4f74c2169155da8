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

function twinsOf(path, methods) {
  return Object.fromEntries(
    Object.entries(methods).map(([method, operation]) => [method, twinOf(`${method.toUpperCase()} ${path}`, operation)]),
  );
}

function twinOf(route, { operationId, summary, security, parameters, ...same }) {
  return {
    operationId: `${operationId}InWorkspace`,
    'x-twin-of': operationId,
    summary: `${summary}, for a browser session too`,
    ...same,
    tags: ['workspace'],
    description: `As \`${route}\`, with the session of a browser or a key.`,
    security: [...security, { MarketStateAccountSession: [] }],
    parameters: parameters.filter(({ $ref }) => $ref !== KEY_HEADER),
  };
}
