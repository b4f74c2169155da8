import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const services = JSON.parse(readFileSync(join(root, 'services.json'), 'utf8'));

export const releasedPrograms = [...Object.values(services).flatMap(({ processes }) => Object.keys(processes)), 'market-state'];

export function programPath(name) {
  return `dist/${name}.cjs`;
}

export function contentsPath(name) {
  return `dist/${name}.contents.json`;
}

/** @throws Error for an unknown service */
export function processesOf(service) {
  const { processes } = services[service] ?? {};
  if (processes === undefined) throw new Error(`There is no service ${service} in services.json.`);
  return Object.entries(processes).map(([out, { main }]) => ({ in: `apps/${service}/${main}`, out }));
}

/** @throws Error for an unknown app */
export function programsOfImage(app) {
  if (app === 'migrate') return ['migrate'];
  if (services[app] !== undefined) return Object.keys(services[app].processes);
  throw new Error(`The app ${app} has no image. Apps with images: ${[...Object.keys(services), 'migrate'].join(', ')}.`);
}
