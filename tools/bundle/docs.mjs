import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';
import { recordBeside } from './bundle.mjs';
import { DOWNLOADS } from './downloads.mjs';
import { programPath } from './entries.mjs';

/**
 * Makes the documentation under dist/docs, unless its sources are those that it was last made from. It is made beside the old one and then
 * put in its place, so that a gateway that starts meanwhile finds a whole build. Then it is written down in the record of the release.
 * @returns whether it was made
 * @throws Error naming what is wrong with a page
 */
export function buildDocs(root) {
  const program = programPath('docs-site');
  const digest = digestOfFiles(root, [program, `${DOWNLOADS}/.sources`, ...pageFiles(root)]);
  const built = join(root, 'dist', 'docs');
  const mark = join(built, '.sources');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return false;
  const next = join(root, 'dist', `docs.${process.pid}`);
  try {
    const { status, stderr, error } = spawnSync(process.execPath, [join(root, program), root, next], { encoding: 'utf8' });
    if (status !== 0) throw error ?? new Error(`The documentation could not be built.\n${stderr.trim()}`);
    writeFileSync(join(next, '.sources'), digest);
    rmSync(built, { recursive: true, force: true });
    renameSync(next, built);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
  recordBeside(root);
  return true;
}

/** Whatever pages are written in; what they are made from besides is in the program. */
function pageFiles(root) {
  const files = ['apps', 'deploy', 'docs', 'libs', 'tools/docs'].flatMap((folder) => filesUnder(root, folder));
  const isPage = (file) => /\.(md|css)$/.test(file) || file.startsWith('docs/site/');
  return [...files.filter(isPage), 'apps/gateway/openapi/openapi.json'];
}
