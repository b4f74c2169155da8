#!/usr/bin/env node
/**
 * `market-state <command>`: runs the program in the user's folder. On first use it installs dependencies and builds,
 * with one line on stderr per step.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

// npx changes to the workspace root; file names are relative to the user's folder.
const { npm_lifecycle_event: startedBy, INIT_CWD: userFolder = '' } = process.env;
if (startedBy === 'npx' && userFolder.startsWith(`${process.cwd()}${sep}`)) process.chdir(userFolder);

try {
  const program = join(root, 'dist', 'market-state.mjs');
  process.env.MARKET_STATE_ROOT = root;
  if (!existsSync(program)) {
    const { status } = spawnSync(process.execPath, [join(root, 'tools', 'bootstrap.mjs'), 'prepare-cli'], { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('Could not build market-state.');
  }
  await import(pathToFileURL(program));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 3;
}
