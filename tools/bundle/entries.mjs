import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const services = JSON.parse(readFileSync(fileURLToPath(new URL('../../services.json', import.meta.url)), 'utf8'));

/** The processes of every service in services.json, by name, with the file that each is made from. */
const processes = Object.fromEntries(
  Object.entries(services).flatMap(([service, entry]) =>
    Object.entries(entry.processes).map(([name, { main }]) => [name, `apps/${service}/${main}`]),
  ),
);

/**
 * Each bundle under dist/ by name, and the file it is made from. Processes first, then the commands of package.json, and what bundling
 * itself runs.
 */
export const entries = {
  ...processes,
  'mcp-stdio': 'apps/mcp/src/stdio-main.ts',
  start: 'tools/launcher/src/main.ts',
  migrate: 'tools/launcher/src/migrate-main.ts',
  manifests: 'tools/deploy/src/main.ts',
  release: 'tools/deploy/src/releases/main.ts',
  test: 'tools/checks/src/main.ts',
  verify: 'tools/verify/src/main.ts',
  'verify-load': 'tools/verify/src/attacks/load/load-main.ts',
  'verify-hurried-worker': 'tools/verify/src/exports/hurried-worker-main.ts',
  'verify-hurried-deliveries': 'tools/verify/src/webhooks/worker-main.ts',
  'verify-image-system': 'tools/verify/src/image/system-main.ts',
  'verify-evaluator': 'tools/verify/src/alerts/evaluator-main.ts',
  bench: 'tools/bench/src/main.ts',
  routes: 'apps/gateway/src/routes-main.ts',
  'shipped-policy': 'tools/checks/src/shipped-policy.ts',
  'record-release': 'apps/gateway/src/release-main.ts',
  'portal-sample': 'tools/bundle/portal-sample.ts',
  'docs-site': 'tools/docs/src/main.ts',
};

/** The program of users: `dist/<name>.mjs`, and its parts in `dist/<name>/`. */
export const userProgram = { name: 'market-state', file: 'apps/cli/src/main.ts' };

/** The bundles that a release consists of, beside the program of users. */
export const releasedProcesses = Object.keys(processes);

/** The file of a bundle, from the workspace's top. */
export function programPath(name) {
  return `dist/${name}.cjs`;
}

/**
 * The bundles in the image of an app: those of a service's processes; that of `migrate` has the program of its name.
 * @throws Error when there is no such app
 */
export function programsOfImage(app) {
  if (app === 'migrate') return ['migrate'];
  if (services[app] !== undefined) return Object.keys(services[app].processes);
  throw new Error(`There is no app ${app} that has an image; there are ${[...Object.keys(services), 'migrate'].join(', ')}.`);
}
