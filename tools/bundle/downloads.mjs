/**
 * `node tools/bundle/downloads.mjs`: makes the packages of the clients in `dist/downloads`, which the documentation site serves. The same
 * sources give the same bytes.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildClientPackage } from './client-package.mjs';
import { root } from './programs.mjs';

const folder = join(root, 'dist', 'downloads');

async function packClient() {
  const content = join(folder, 'client');
  await buildClientPackage(root, content);
  const args = ['pack', '--pack-destination', folder, '--silent', '--ignore-scripts'];
  const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: content, encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`The package of the SDK could not be made.\n${stderr.trim()}`);
  renameSync(join(folder, stdout.trim()), join(folder, 'market-state-client.tgz'));
  rmSync(content, { recursive: true });
}

/** The source distribution of the Python client, which pip makes a wheel of: a folder with `PKG-INFO` beside the sources. */
function packPython() {
  const source = join(root, 'libs', 'client-python');
  const [, version] = /^version = "(.+)"$/m.exec(readFileSync(join(source, 'pyproject.toml'), 'utf8')) ?? [];
  const name = `market_state-${version}`;
  const content = join(folder, name);
  mkdirSync(content);
  const isSource = (path) => !/__pycache__|\.egg-info$/.test(path);
  for (const part of ['pyproject.toml', 'README.md', 'src'])
    cpSync(join(source, part), join(content, part), { recursive: true, filter: isSource });
  copyFileSync(join(root, 'LICENSE'), join(content, 'LICENSE'));
  writeFileSync(join(content, 'PKG-INFO'), `Metadata-Version: 2.1\nName: market-state\nVersion: ${version}\n`);
  const alike = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const { status, stdout, stderr, error } = spawnSync('tar', [...alike, '-c', name], { cwd: folder, maxBuffer: 64 * 2 ** 20 });
  if (status !== 0) throw error ?? new Error(`The package of the Python client could not be made.\n${stderr}`);
  writeFileSync(join(folder, `${name}.tar.gz`), gzipSync(stdout, { level: 9 }));
  rmSync(content, { recursive: true });
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await packClient();
packPython();
