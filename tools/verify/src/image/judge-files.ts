import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP_FOLDER, DATA_FOLDER, USER_ID } from '@market-state/deploy';

/** What a secret looks like, whoever's it is. */
const SECRET_SHAPES: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}/g,
  'an API key': /\bmsk_(?:live|test)_[0-9A-Za-z]{46}\b/g,
  'a webhook secret': /\bwhsec_[A-Za-z0-9+/]{43}=/g,
  'a token of npm': /\bnpm_[0-9A-Za-z]{36}\b|_authToken\s*=\s*\S/g,
  'a URL with a password': /\b(?:postgres(?:ql)?|redis|https?):\/\/[\w.-]*:[^\s@/{$'"`<]{8,}@[\w.-]+/g,
};

/** Examples of the OpenAPI document have those shapes, with one character over and over. */
const EXAMPLE = /(.)\1{15}/;

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
}

/** Everything below a folder, by its path there. */
function entriesOf(root: string, folder = ''): Entry[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    const stat = lstatSync(join(root, path));
    const own = { path, isFolder: stat.isDirectory(), size: stat.isFile() ? stat.size : 0, mode: stat.mode, uid: stat.uid };
    return stat.isDirectory() ? [own, ...entriesOf(root, path)] : [own];
  });
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** What was found in the files of an image. */
export interface FileFindings {
  /** Each a sentence. */
  readonly faults: readonly string[];
  /** Bytes of all files, and of those that are ours. */
  readonly bytes: number;
  readonly ownBytes: number;
}

/**
 * Looks at every file of an image: beside ours there may be only those of the base, ours must be nobody's to change, and none may have a
 * secret or a text of this machine in it.
 * @param base files of the image that it is made from
 * @param forbidden texts that no file may have, by what they are
 */
export function judgeFiles(name: string, root: string, base: string, forbidden: Readonly<Record<string, string>>): FileFindings {
  const entries = entriesOf(root);
  const ours = entries.filter(({ path }) => isIn(APP_FOLDER, path));
  const data = entries.filter(({ path }) => isIn(DATA_FOLDER, path));
  const lineOf = ({ path, size, mode, uid }: Entry): string => `${path} ${size} ${mode.toString(8)} ${uid}`;
  const ofBase = new Set(entriesOf(base).map(lineOf));
  const isOfBase = (entry: Entry): boolean => ofBase.has(lineOf(entry)) && (entry.size === 0 || haveSameBytes(root, base, entry.path));
  const strange = entries.filter((entry) => !ours.includes(entry) && !data.includes(entry) && !isOfBase(entry));
  const faults = [
    ...strange.map((entry) => `${name} has ${lineOf(entry)}, which is neither the base's nor ours.`),
    ...ours
      .filter(({ uid, mode }) => uid !== 0 || (mode & 0o022) !== 0)
      .map((entry) => `${name}: others than root may change ${lineOf(entry)}.`),
    ...data
      .filter(({ uid, isFolder }) => uid !== USER_ID || !isFolder)
      .map((entry) => `${name}: ${lineOf(entry)} is no empty folder of the user's.`),
    ...ours.filter(({ isFolder }) => !isFolder).flatMap(({ path }) => faultsIn(name, path, readFileSync(join(root, path)), forbidden)),
  ];
  const sum = (list: readonly Entry[]): number => list.reduce((total, { size }) => total + size, 0);
  return { faults, bytes: sum(entries), ownBytes: sum(ours) };
}

function haveSameBytes(root: string, other: string, path: string): boolean {
  return readFileSync(join(root, path)).equals(readFileSync(join(other, path)));
}

function faultsIn(name: string, path: string, bytes: Buffer, forbidden: Readonly<Record<string, string>>): string[] {
  const text = bytes.toString('latin1');
  return [
    ...Object.entries(forbidden).flatMap(([what, words]) => (text.includes(words) ? [`${name}: ${path} has ${what}.`] : [])),
    ...Object.entries(SECRET_SHAPES).flatMap(([what, shape]) => {
      const found = [...text.matchAll(shape)].filter(([secret]) => !EXAMPLE.test(secret));
      return found.length === 0 ? [] : [`${name}: ${path} has ${what}.`];
    }),
  ];
}
