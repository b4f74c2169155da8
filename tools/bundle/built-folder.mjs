import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a folder under dist/ unless its sources are those that it was last made from. It is made beside the old one and then put in its
 * place, so that whoever reads it meanwhile finds it whole.
 * @param digest of its sources
 * @param make makes the folder at the path that it is given
 * @returns whether it was made
 */
export async function buildFolder(root, name, digest, make) {
  const built = join(root, 'dist', name);
  const mark = join(built, '.sources');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return false;
  const next = `${built}.${process.pid}`;
  try {
    await make(next);
    writeFileSync(join(next, '.sources'), digest);
    rmSync(built, { recursive: true, force: true });
    renameSync(next, built);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
  return true;
}
