import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'recordings']);
/** Digests that are kept: one for each of the few sets of files that are asked for, and some of before. */
const KEPT_MAX = 16;
/** A file that changed so short a time ago can change once more without its time showing it, milliseconds. */
const SETTLED_MS = 1_000;

/** Every file under a folder of the workspace, as paths from its top, sorted. */
export function filesUnder(root, folder) {
  const found = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !skipped.has(entry.name)) found.push(...filesUnder(root, path));
    else if (entry.isFile()) found.push(path);
  }
  return found.sort();
}

/**
 * SHA-256 hex over the names and contents of these files. They are read only when one of them has changed since: what the file system
 * says of a file (size, time of its last change of any kind, inode) is another then. So a command that finds all in place has not to read
 * the whole workspace first.
 */
export function digestOfFiles(root, files, nowMs = Date.now()) {
  const { stamp, newestMs } = stampOf(root, files);
  const kept = readKept(root);
  const known = kept.find((each) => each.stamp === stamp);
  if (known !== undefined) return known.digest;
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  const digest = hash.digest('hex');
  if (newestMs < nowMs - SETTLED_MS) keep(root, [{ stamp, digest }, ...kept].slice(0, KEPT_MAX));
  return digest;
}

function stampOf(root, files) {
  const hash = createHash('sha256');
  let newestMs = 0;
  for (const file of files) {
    const { size, ctimeMs, ino } = lstatSync(join(root, file));
    newestMs = Math.max(newestMs, ctimeMs);
    hash.update(`${file}\0${size} ${ctimeMs} ${ino}\0`);
  }
  return { stamp: hash.digest('hex'), newestMs };
}

const keptIn = (root) => join(root, 'dist', '.digests');

/** None where there is no such file, or another program has left one that cannot be read. */
function readKept(root) {
  try {
    return JSON.parse(readFileSync(keptIn(root), 'utf8'));
  } catch {
    return [];
  }
}

function keep(root, kept) {
  const file = keptIn(root);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(kept));
  renameSync(`${file}.${process.pid}`, file);
}
