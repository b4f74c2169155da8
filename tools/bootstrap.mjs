/**
 * Every npm script passes here: `node tools/bootstrap.mjs <command> [arguments]`. Brings the workspace to where the
 * command can run, then runs it; the command `prepare` stops there.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programPath } from './bundle/programs.mjs';
import { prepare } from './setup/prepare.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [command = '', ...rest] = process.argv.slice(2);

/** What each command needs built. */
const EVERYTHING = 'launcher:prepare-start';
const targets = {
  generate: [],
  migrate: ['launcher:build'],
  manifests: ['deploy:build'],
  release: ['deploy:build'],
  routes: ['gateway:build'],
  bench: [EVERYTHING, 'bench:build'],
  prove: [EVERYTHING, 'prove:build'],
};

try {
  process.chdir(root);
  await prepare(root, (line) => process.stdout.write(`${line}\n`), targets[command] ?? [EVERYTHING]);
  await run();
} catch (error) {
  process.stdout.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run() {
  if (command === 'prepare') return undefined;
  if (command === 'generate') {
    const { generate } = await import('./generate/generate.mjs');
    return generate(root, rest);
  }
  const file = join(root, programPath(command));
  if (!existsSync(file)) throw new Error(`There is no command "${command}".`);
  process.argv = [process.argv[0], file, ...rest];
  createRequire(import.meta.url)(file);
}
