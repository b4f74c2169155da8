import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';

/** Time git has to answer, milliseconds. */
const GIT_MS = 5_000;

/** Every document that is released: pages, licence and notice. */
function documents(root) {
  const top = readdirSync(root).filter((name) => /\.md$|^LICENSE$|^NOTICE$/.test(name));
  const below = ['apps', 'deploy', 'docs', 'libs', 'tools']
    .flatMap((folder) => filesUnder(root, folder))
    .filter((file) => file.endsWith('.md'));
  return [...top, ...below].sort();
}

function markOf(root) {
  return join(root, 'dist', '.documents');
}

/** Whether documents are not those that were written down last. */
export function documentsChanged(root) {
  return !existsSync(markOf(root)) || readFileSync(markOf(root), 'utf8') !== digestOfFiles(root, documents(root));
}

export function noteDocuments(root) {
  writeFileSync(markOf(root), digestOfFiles(root, documents(root)));
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
  return { root, documents: documents(root), facts, nowMs: Date.now() };
}
