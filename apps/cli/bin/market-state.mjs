#!/usr/bin/env node
/**
 * `market-state <command>`: brings the workspace to where the program can run, telling of it on stderr, then runs it where the user stands.
 */
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

// Inside a workspace, npx moves up to that workspace's top; file names are meant from where the user stands.
const { npm_lifecycle_event: startedBy, INIT_CWD: userFolder = '' } = process.env;
if (startedBy === 'npx' && userFolder.startsWith(`${process.cwd()}${sep}`)) process.chdir(userFolder);

try {
  const { prepare } = await import(pathToFileURL(join(root, 'tools', 'setup', 'prepare.mjs')));
  await prepare(root, (line) => process.stderr.write(`${line}\n`));
  await import(pathToFileURL(join(root, 'dist', 'market-state.mjs')));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 3;
}
