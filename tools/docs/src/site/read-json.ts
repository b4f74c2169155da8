import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** A JSON file of the workspace, by its path from the top. */
export function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(join(workspaceRoot(), file), 'utf8')) as Content;
}
