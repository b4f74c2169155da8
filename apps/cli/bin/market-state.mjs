#!/usr/bin/env node
/** `market-state <command>`: brings the workspace to where the program can run, telling of it on stderr, then runs it where the user stands. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

try {
  const { prepare } = await import(pathToFileURL(join(root, 'tools', 'setup', 'prepare.mjs')));
  await prepare(root, (line) => process.stderr.write(`${line}\n`));
  createRequire(import.meta.url)(join(root, 'dist', 'market-state.js'));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 3;
}
