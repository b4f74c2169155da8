import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';

/** Time git has to answer, milliseconds. */
const GIT_MS = 5_000;

/** Every document that is released: pages, licence and notice; where images are made there are but some of them. */
function documents(root) {
  const top = readdirSync(root).filter((name) => /\.md$|^LICENSE$|^NOTICE$/.test(name));
  const below = ['apps', 'deploy', 'docs', 'libs', 'tools']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesUnder(root, folder))
    .filter((file) => file.endsWith('.md'));
  return [...top, ...below].sort();
}

/** In the folder of the portal's build: the parts that it is released as, from when it was made. */
export const portalParts = '.parts';
const PORTAL = 'dist/portal';
/** What names every file of the documentation, with its SHA-256. */
const DOCS = 'dist/docs/docs.json';

/** In the same folder: folders of the packages that the portal is made from, from the workspace's top. */
const PORTAL_PACKAGES = '.packages.json';

export function portalPackages(root) {
  return JSON.parse(readFileSync(join(root, PORTAL, PORTAL_PACKAGES), 'utf8'));
}

/** What is released beside the programs. */
function digestBeside(root) {
  const sites = [`${PORTAL}/${portalParts}`, DOCS].filter((file) => existsSync(join(root, file)));
  return digestOfFiles(root, [...documents(root), ...sites]);
}

function markOf(root) {
  return join(root, 'dist', '.beside');
}

/** Whether documents or sites are not those that were written down last. */
export function besideChanged(root) {
  return !existsSync(markOf(root)) || readFileSync(markOf(root), 'utf8') !== digestBeside(root);
}

export function noteBeside(root) {
  writeFileSync(markOf(root), digestBeside(root));
}

/** Parts of the portal, with their files as paths from the workspace's top; none before it is built. */
function portalFiles(root) {
  const list = join(root, PORTAL, portalParts);
  if (!existsSync(list)) return [];
  return JSON.parse(readFileSync(list, 'utf8')).map(({ file, ...rest }) => ({
    name: `portal/${file}`,
    file: `${PORTAL}/${file}`,
    ...rest,
  }));
}

/** The part that the documentation is released as; none before it is built. */
function docsFiles(root) {
  if (!existsSync(join(root, DOCS))) return [];
  const bytes = readFileSync(join(root, DOCS));
  return [{ name: 'page/docs.json', sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, file: DOCS }];
}

function git(root, ...args) {
  const { status, stdout } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8', timeout: GIT_MS });
  return status === 0 ? stdout.trim() : null;
}

/** What a release is made from, beside its programs. */
export function releaseSources(root, digest) {
  const revision = git(root, 'rev-parse', 'HEAD');
  const changed = revision === null ? null : git(root, 'status', '--porcelain', '--untracked-files=no');
  const facts = { source_digest: digest, source_revision: revision, source_modified: changed === null ? null : changed !== '' };
  return { root, documents: documents(root), sites: [...portalFiles(root), ...docsFiles(root)], facts, nowMs: Date.now() };
}
