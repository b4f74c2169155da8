import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOfFile } from '@market-state/archive';
import { count } from '../io/instant';
import type { FaultList } from './fault-list';
import { MANIFEST, type Manifest } from './manifest';

const SUMS = 'SHA256SUMS';

/** How the files of a folder fared. */
export interface FileCheck {
  readonly total: number;
  /** Files that are what the manifest and SHA256SUMS say, by name. */
  readonly sound: ReadonlySet<string>;
}

/** Compares every file of a folder, and the list of files itself, with the manifest and SHA256SUMS. */
export async function checkFiles(
  folder: string,
  manifest: Manifest,
  faults: FaultList,
  onFile: (name: string) => void,
): Promise<FileCheck> {
  const listed = [...manifest.files, ...manifest.support_files];
  const sums = await readSums(folder, faults);
  const sound = new Set<string>();
  for (const { name, bytes, sha256 } of listed) {
    onFile(name);
    if (sums !== undefined && !sums.has(name)) faults.add(SUMS, `${SUMS}: ${name} is missing from it`);
    if (await isSound(folder, name, { bytes, sha256, sum: sums?.get(name) ?? sha256 }, faults)) sound.add(name);
  }
  const manifestSum = sums?.get(MANIFEST);
  if (sums !== undefined && manifestSum === undefined) faults.add(SUMS, `${SUMS}: ${MANIFEST} is missing from it`);
  if (manifestSum !== undefined && (await isSound(folder, MANIFEST, { sha256: manifestSum, sum: manifestSum }, faults)))
    sound.add(MANIFEST);
  const known = new Set([...listed.map(({ name }) => name), MANIFEST, SUMS]);
  for (const name of sums?.keys() ?? []) if (!known.has(name)) faults.add(SUMS, `${SUMS}: ${name} is not in ${MANIFEST}`);
  for (const name of (await readdir(folder)).sort())
    if (!known.has(name)) faults.add('surplus files', `${name}: surplus, ${MANIFEST} does not list it`);
  return { total: listed.length + 1, sound };
}

interface Expected {
  /** Absent: not said. */
  readonly bytes?: number;
  /** By the manifest. */
  readonly sha256: string;
  /** By SHA256SUMS. */
  readonly sum: string;
}

async function isSound(folder: string, name: string, { bytes, sha256, sum }: Expected, faults: FaultList): Promise<boolean> {
  const path = join(folder, name);
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) {
    faults.add('missing files', `${name}: missing`);
    return false;
  }
  const found = await digestOfFile(path);
  const wrong: string[] = [];
  if (bytes !== undefined && found.bytes !== bytes) wrong.push(`expected ${count(bytes)} bytes, found ${count(found.bytes)}`);
  if (found.sha256 !== sha256) wrong.push(`expected SHA-256 ${sha256}, found ${found.sha256}`);
  if (sum !== sha256) wrong.push(`${SUMS} has ${sum}, ${MANIFEST} has ${sha256}`);
  if (wrong.length > 0) faults.add('damaged files', `${name}: ${wrong.join('; ')}`);
  return wrong.length === 0;
}

/** Digests by name; undefined where there is no list. */
async function readSums(folder: string, faults: FaultList): Promise<ReadonlyMap<string, string> | undefined> {
  const text = await readFile(join(folder, SUMS), 'utf8').catch(() => undefined);
  if (text === undefined) {
    faults.add('missing files', `${SUMS}: missing`);
    return undefined;
  }
  const sums = new Map<string, string>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const [, sha256, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (sha256 === undefined || name === undefined) faults.add(SUMS, `${SUMS}: line ${index + 1} is not a digest and a name`);
    else sums.set(name, sha256);
  }
  return sums;
}
