/** `node tools/bundle/downloads.mjs`: builds the client packages in `dist/downloads`. Reproducible. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildClientPackage } from './client-package.mjs';
import { root } from './programs.mjs';
import { buildPythonPackages } from './python-package.mjs';

const folder = join(root, 'dist', 'downloads');

async function packClient() {
  const content = join(folder, 'client');
  await buildClientPackage(root, content);
  const args = ['pack', '--pack-destination', folder, '--silent', '--ignore-scripts'];
  const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: content, encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`The SDK's package could not be built.\n${stderr.trim()}`);
  renameSync(join(folder, stdout.trim()), join(folder, 'market-state-client.tgz'));
  rmSync(content, { recursive: true });
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await packClient();
buildPythonPackages(root, folder);
