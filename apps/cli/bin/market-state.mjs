#!/usr/bin/env node
/**
 * `market-state <command>`: runs the program in the folder of its user. Before the first build it installs and builds what it needs,
 * with a line on stderr for each step.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

// Inside a workspace, npx moves up to that workspace's top; file names are meant from where the user stands.
const { npm_lifecycle_event: startedBy, INIT_CWD: userFolder = '' } = process.env;
if (startedBy === 'npx' && userFolder.startsWith(`${process.cwd()}${sep}`)) process.chdir(userFolder);

try {
  const program = join(root, 'dist', 'market-state.mjs');
  process.env.MARKET_STATE_ROOT = root;
  if (!existsSync(program)) {
    const { status } = spawnSync(process.execPath, [join(root, 'tools', 'bootstrap.mjs'), 'prepare-cli'], { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('market-state could not be built.');
  }
  await import(pathToFileURL(program));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 3;
}
