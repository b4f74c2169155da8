import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'recordings']);

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

/** SHA-256 hex over the names and contents of these files. */
export function digestOfFiles(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
