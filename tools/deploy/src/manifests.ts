import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { services } from '@market-state/launcher';
import { composeFile } from './compose/compose-file';
import { readBases, containerfile } from './containerfile';
import { baseFiles } from './kubernetes/base-files';

/** The folder whose files are all generated. */
export const BASE = 'deploy/kubernetes/base';
export const COMPOSE = 'deploy/compose/compose.yaml';

const IMAGES = 'deploy/images';
const CONTAINERFILE = 'Containerfile';

export function containerfileOf(app: string): string {
  return `${IMAGES}/${app}/${CONTAINERFILE}`;
}

export function writtenManifests(root: string): readonly string[] {
  const described = filesBelow(root, IMAGES).filter((path) => path.endsWith(`/${CONTAINERFILE}`));
  return [...filesBelow(root, BASE), ...described, ...(existsSync(join(root, COMPOSE)) ? [COMPOSE] : [])].sort();
}

function filesBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
}

export const images: readonly string[] = [...Object.keys(services), 'migrate'];

/** Every generated file of `deploy/` by its path, as the definitions of the processes have it now; images bear the product's version. */
export function manifestsOf(root: string): ReadonlyMap<string, string> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const bases = readBases(root);
  return new Map([
    ...[...baseFiles(version)].map(([path, text]): [string, string] => [`${BASE}/${path}`, text]),
    [COMPOSE, composeFile(version)],
    ...images.map((app): [string, string] => [containerfileOf(app), containerfile(app, bases, version)]),
  ]);
}

/**
 * Writes every generated file that differs, and removes those that are not generated any more.
 * @returns the paths of both
 */
export function writeManifests(root: string): readonly string[] {
  const wanted = manifestsOf(root);
  const stale = writtenManifests(root).filter((path) => !wanted.has(path));
  for (const path of stale) rmSync(join(root, path));
  const changed = [...wanted].filter(([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text);
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [...stale, ...changed.map(([path]) => path)];
}
