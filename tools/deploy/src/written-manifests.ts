import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folder whose files are all generated. */
export const BASE = 'deploy/kubernetes/base';
export const COMPOSE = 'deploy/compose/compose.yaml';

const IMAGES = 'deploy/images';
const CONTAINERFILE = 'Containerfile';

/** Where the image of an app is described. */
export function containerfileOf(app: string): string {
  return `${IMAGES}/${app}/${CONTAINERFILE}`;
}

/** Paths of the generated files that are there. */
export function writtenManifests(root: string): readonly string[] {
  const described = filesBelow(root, IMAGES).filter((path) => path.endsWith(`/${CONTAINERFILE}`));
  return [...filesBelow(root, BASE), ...described, ...(existsSync(join(root, COMPOSE)) ? [COMPOSE] : [])].sort();
}

function filesBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
}
