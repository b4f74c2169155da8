import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';
import { buildFolder } from './built-folder.mjs';
import { recordBeside } from './bundle.mjs';
import { portalParts } from './release.mjs';

/**
 * Makes the portal under dist/portal, unless its sources are those that it was last made from. Then it is written down in the record of the
 * release.
 * @returns whether it was made
 * @throws Error when it cannot be built
 */
export async function buildPortal(root) {
  const isMade = await buildFolder(root, 'portal', digestOfFiles(root, sourceFiles(root)), (folder) => {
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    const args = [vite, 'build', '--config', join(root, 'apps', 'portal', 'vite.config.mts'), '--outDir', folder, '--logLevel', 'error'];
    // Where a test builds it, NODE_ENV is `test`, and React would come in its form for development.
    const env = { ...process.env, NODE_ENV: 'production' };
    const { status, stderr, error } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
    if (status !== 0) throw error ?? new Error(`The portal could not be built.\n${stderr.trim()}`);
    writeFileSync(join(folder, portalParts), `${JSON.stringify(partsOf(folder), null, 1)}\n`);
  });
  if (isMade) recordBeside(root);
  return isMade;
}

/** What a gateway reads of a build, as it was just made: its manifest, and the pages and files that this names. */
function partsOf(folder) {
  const { pages, files } = JSON.parse(readFileSync(join(folder, 'portal.json'), 'utf8'));
  const names = new Set(['portal.json', ...pages.map(({ html }) => html), ...files]);
  return [...names].sort().map((file) => {
    const bytes = readFileSync(join(folder, file));
    return { file, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
  });
}

/** Whatever can change the portal. */
function sourceFiles(root) {
  const folders = ['apps/portal', 'libs/client/src', 'libs/domain'].flatMap((folder) => filesUnder(root, folder));
  const sources = folders.filter((file) => /\.(tsx?|mts|js|json|css|html)$/.test(file) && !/\.test\.tsx?$/.test(file));
  return [
    ...sources,
    'package-lock.json',
    'tsconfig.base.json',
    'tools/bundle/built-folder.mjs',
    'tools/bundle/portal.mjs',
    'tools/bundle/portal-sample.ts',
  ];
}
