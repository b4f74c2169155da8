import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the package that a file belongs to, from the workspace's top; undefined for a file of ours. */
export function packageFolderOf(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** The package that a name of a module begins with. */
export function packageNameOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/**
 * Folders of packages and of all that they depend on, as the lock file has them, from the workspace's top and sorted. What is optional
 * and made for other machines is not installed, and left out.
 * @throws Error naming a package that is needed and not installed
 */
export function withDependencies(root, names) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Set();
  const visit = (name, from, isOptional) => {
    const folder = nearest(packages, name, from);
    if (folder === undefined || !existsSync(join(root, folder))) {
      if (isOptional) return;
      throw new Error(`${from === '' ? name : `${name}, which ${from} needs,`} is not installed.`);
    }
    if (found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = packages[folder];
    for (const needed of Object.keys(dependencies)) visit(needed, folder, needed in optionalDependencies);
    for (const wanted of Object.keys(optionalDependencies)) visit(wanted, folder, true);
  };
  for (const name of names) visit(name, '', false);
  return [...found].sort();
}

/** Where Node finds a package that is asked for from a folder. */
function nearest(packages, name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (folder in packages) return folder;
    if (at === '') return undefined;
  }
}
