import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The top folder of the workspace. */
export const workspaceFolder = join(import.meta.dirname, '..', '..', '..', '..');

/** Text of a file of the workspace, by its path from the top. */
export function readText(file: string): string {
  return readFileSync(join(workspaceFolder, file), 'utf8');
}

/** A JSON file of the workspace, by its path from the top. */
export function readJson<Content>(file: string): Content {
  return JSON.parse(readText(file)) as Content;
}
