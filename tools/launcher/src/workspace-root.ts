import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * `MARKET_STATE_ROOT`, otherwise the nearest parent folder with an `nx.json`.
 * @throws Error if there is none
 */
export function workspaceRoot(): string {
  const named = process.env['MARKET_STATE_ROOT'];
  if (named !== undefined && named !== '') return named;
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'nx.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('No workspace found above the launcher. Set MARKET_STATE_ROOT to its root folder.');
    folder = above;
  }
  return folder;
}

/** Path of a program's bundle, relative to the workspace or an image. */
export function programPath(name: string): string {
  return `dist/${name}.cjs`;
}

/** @throws Error without a workspace */
export function programFile(name: string): string {
  return join(workspaceRoot(), programPath(name));
}

export function userProgramFile(): string {
  return join(workspaceRoot(), 'dist', 'market-state.mjs');
}
