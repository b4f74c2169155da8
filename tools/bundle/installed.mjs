import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Undefined for our own files. */
export function packageFolderOf(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

export function packageNameOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/**
 * Includes dependencies, without optional ones for other platforms.
 * @throws Error naming a required package that is not installed
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

function nearest(packages, name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (folder in packages) return folder;
    if (at === '') return undefined;
  }
}
