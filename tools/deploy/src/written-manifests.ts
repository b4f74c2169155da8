import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folder whose files are all generated. */
export const BASE = 'deploy/kubernetes/base';
export const COMPOSE = 'deploy/compose/compose.yaml';

/** Paths of the generated files that are there. */
export function writtenManifests(root: string): readonly string[] {
  const folder = join(root, BASE);
  const inBase = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = inBase.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
  return [...files, ...(existsSync(join(root, COMPOSE)) ? [COMPOSE] : [])].sort();
}
