import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of the workspace. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const services = JSON.parse(readFileSync(join(root, 'services.json'), 'utf8'));

/** The programs that a release consists of: every process, and `market-state`, which users run. */
export const releasedPrograms = [...Object.values(services).flatMap(({ processes }) => Object.keys(processes)), 'market-state'];

/** The file of a bundle, from the workspace's top. */
export function programPath(name) {
  return `dist/${name}.cjs`;
}

/** The file that says what is in a bundle, from the workspace's top. */
export function contentsPath(name) {
  return `dist/${name}.contents.json`;
}

/**
 * A service's processes: the name of each bundle, and the file it is made from.
 * @throws Error when there is no such service
 */
export function processesOf(service) {
  const { processes } = services[service] ?? {};
  if (processes === undefined) throw new Error(`There is no service ${service} in services.json.`);
  return Object.entries(processes).map(([out, { main }]) => ({ in: `apps/${service}/${main}`, out }));
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
