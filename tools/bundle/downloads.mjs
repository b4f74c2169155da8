import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';
import { buildFolder } from './built-folder.mjs';

/** Folder under dist/ with the packages of the clients, as the documentation serves them. */
export const DOWNLOADS = 'downloads';

/**
 * Makes the packages of the clients, so that whoever reads the documentation can install them from the server that it is on. The same
 * sources give the same bytes.
 * @returns whether they were made
 */
export function buildDownloads(root) {
  return buildFolder(root, DOWNLOADS, digestOfFiles(root, sourceFiles(root)), async (folder) => {
    mkdirSync(folder, { recursive: true });
    await packClient(root, folder);
    packPython(root, folder);
  });
}

async function packClient(root, folder) {
  // Loaded when it is used, for it needs what may only just have been installed.
  const { buildClientPackage } = await import('./client-package.mjs');
  const content = join(folder, 'client');
  await buildClientPackage(root, content);
  const args = ['pack', '--pack-destination', folder, '--silent', '--ignore-scripts'];
  const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: content, encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`The package of the SDK could not be made.\n${stderr.trim()}`);
  renameSync(join(folder, stdout.trim()), join(folder, 'market-state-client.tgz'));
  rmSync(content, { recursive: true });
}

/** The source distribution of the Python client, which pip makes a wheel of: a folder with `PKG-INFO` beside the sources. */
function packPython(root, folder) {
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

/** Whatever can change the packages. */
function sourceFiles(root) {
  const own = ['LICENSE', 'package-lock.json', 'tools/bundle/client-package.mjs', 'tools/bundle/downloads.mjs'];
  const ofClients = [...filesUnder(root, 'libs/client'), ...filesUnder(root, 'libs/client-python')];
  return [...ofClients.filter((file) => !file.endsWith('.pyc')), ...own];
}
