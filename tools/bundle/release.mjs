import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { contentsPath, programPath, root } from './programs.mjs';

const GIT_TIMEOUT_MS = 5_000;
const PORTAL = 'dist/portal';
const DOCS = 'dist/docs/docs.json';
const WITHOUT_PAGES = new Set(['node_modules', 'dist', 'recordings']);

/** @returns the bundler's notes on a program: see `writeContents` in `bundle.mjs` */
export function contentsOf(name) {
  return readJson(contentsPath(name));
}

export function portalPackages() {
  return readJson(`${PORTAL}/.packages.json`);
}

/**
 * @param folder the workspace, or an image's contents
 * @param bundles program names
 * @param times `built_at_utc` and `recorded_at_utc`
 */
export function recordRelease(folder, bundles, times) {
  const { recordRelease: record } = createRequire(import.meta.url)(join(root, programPath('record-release')));
  const programs = bundles.flatMap((name) => contentsOf(name).files.map((part) => ({ name: partName(part.file), ...part })));
  const others = [...documents(), ...portalFiles(), { name: 'page/docs.json', file: DOCS }];
  const files = others.filter(({ file }) => existsSync(join(folder, file)));
  record(join(folder, 'dist', 'release.json'), programs, files, { source_digest: sourceDigest(bundles), ...revision(), ...times });
}

function partName(file) {
  return `program/${file.replace(/^dist\//, '').replace(/\.[cm]js$/, '')}`;
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

function documents() {
  const top = readdirSync(root).filter((name) => /\.md$|^LICENSE$|^NOTICE$/.test(name));
  const below = ['apps', 'deploy', 'docs', 'libs', 'tools'].flatMap(pagesUnder);
  return [...top, ...below].sort().map((file) => ({ name: `document/${file}`, file }));
}

function pagesUnder(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return WITHOUT_PAGES.has(entry.name) ? [] : pagesUnder(path);
    return entry.isFile() && path.endsWith('.md') ? [path] : [];
  });
}

function portalFiles() {
  if (!existsSync(join(root, PORTAL, 'portal.json'))) return [];
  const { pages, not_found: notFound, files } = readJson(`${PORTAL}/portal.json`);
  const names = new Set(['portal.json', ...pages.map(({ html }) => html), notFound, ...files]);
  return [...names].sort().map((file) => ({ name: `portal/${file}`, file: `${PORTAL}/${file}` }));
}

function sourceDigest(bundles) {
  const lines = [...bundles].sort().map((name) => `${contentsOf(name).source_digest}  ${name}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** Null without version control. */
function revision() {
  const head = git('rev-parse', 'HEAD');
  const changes = head === null ? null : git('status', '--porcelain', '--untracked-files=no');
  return { source_revision: head, source_modified: changes === null ? null : changes !== '' };
}

function git(...args) {
  const { status, stdout } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8', timeout: GIT_TIMEOUT_MS });
  return status === 0 ? stdout.trim() : null;
}
