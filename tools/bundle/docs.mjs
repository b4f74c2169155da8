import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';
import { buildFolder } from './built-folder.mjs';
import { recordBeside } from './bundle.mjs';
import { DOWNLOADS } from './downloads.mjs';
import { programPath } from './entries.mjs';

/**
 * Makes the documentation under dist/docs, unless its sources are those that it was last made from. Then it is written down in the record
 * of the release.
 * @returns whether it was made
 * @throws Error naming what is wrong with a page
 */
export async function buildDocs(root) {
  const program = programPath('docs-site');
  const digest = digestOfFiles(root, [program, `dist/${DOWNLOADS}/.sources`, ...pageFiles(root)]);
  const isMade = await buildFolder(root, 'docs', digest, (folder) => {
    const { status, stderr, error } = spawnSync(process.execPath, [join(root, program), folder], { encoding: 'utf8' });
    if (status !== 0) throw error ?? new Error(`The documentation could not be built.\n${stderr.trim()}`);
  });
  if (isMade) recordBeside(root);
  return isMade;
}

/** Whatever pages are written in; what they are made from besides is in the program. */
function pageFiles(root) {
  const files = ['apps', 'deploy', 'docs', 'libs', 'tools/docs'].flatMap((folder) => filesUnder(root, folder));
  const isPage = (file) => /\.(md|css)$/.test(file) || file.startsWith('docs/site/');
  return [...files.filter(isPage), 'apps/gateway/openapi/openapi.json'];
}
