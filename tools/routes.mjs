/** `npm run routes`: prints every route with its method, credential and metering, from the published document. */
import { readFileSync } from 'node:fs';

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);
const { paths } = JSON.parse(readFileSync(new URL('../apps/gateway/openapi/openapi.json', import.meta.url), 'utf8'));

const rows = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([method]) => METHODS.has(method))
    .map(([method, operation]) => [method.toUpperCase(), accessOf(operation), operation['x-access'].metered ? 'metered' : 'free', path]),
);
rows.sort((one, other) => (`${one[3]} ${one[0]}` < `${other[3]} ${other[0]}` ? -1 : 1));
const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
console.log(`${rows.length} routes`);

function accessOf({ security }) {
  if (security.length === 0) return 'public';
  return security.some((scheme) => 'MarketStateAccountSession' in scheme) ? 'key or session' : 'key';
}
