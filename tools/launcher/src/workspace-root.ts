import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The top folder of the workspace: `MARKET_STATE_ROOT` when set (the launcher sets it for every process it starts),
 * otherwise the nearest folder above this file that holds `nx.json`.
 * @throws Error when neither leads anywhere
 */
export function workspaceRoot(): string {
  const named = process.env['MARKET_STATE_ROOT'];
  if (named !== undefined && named !== '') return named;
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'nx.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('No workspace above the launcher; set MARKET_STATE_ROOT to its top folder.');
    folder = above;
  }
  return folder;
}

/** The path below the workspace, and below the folder of an image, of the bundle that has a program. */
export function programPath(name: string): string {
  return `dist/${name}.cjs`;
}

/** The bundle that has a program, on this machine. @throws Error when there is no workspace */
export function programFile(name: string): string {
  return join(workspaceRoot(), programPath(name));
}

/** The file of the program of users, `market-state`, as it was last made. */
export function userProgramFile(): string {
  return join(workspaceRoot(), 'dist', 'market-state.mjs');
}
