import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { loadPolicy, parsePolicy, parsePolicyDocument, policyFileNames, PolicyError, type Policy } from '@market-state/labeler';
import { badInput } from '../cli-error';

/**
 * The policy of a folder's JSON files, or of one JSON file that holds them all by name; without either, the one that ships.
 * @throws CliError (bad input) with every fault, file and line
 */
export async function readPolicy(given: string | undefined, cwd: string): Promise<Policy> {
  if (given === undefined) return loadPolicy();
  const path = resolve(cwd, given);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${given}: ${error.code === 'ENOENT' ? 'there is no such folder or file' : `it cannot be read (${error.code ?? ''})`}`);
  });
  const parse = await (found.isDirectory() ? parserOfFolder(given, path) : parserOfFile(path));
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw badInput(`${given} is not a policy:`, ...error.message.split('\n'));
  }
}

async function parserOfFolder(given: string, path: string): Promise<() => Policy> {
  const names = await readdir(path);
  if (!names.some((name) => policyFileNames.includes(name)))
    throw badInput(`${given} has no policy files (expected: ${policyFileNames.join(', ')})`);
  const texts = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const),
  );
  return () => parsePolicy(new Map(texts));
}

async function parserOfFile(path: string): Promise<() => Policy> {
  const text = await readFile(path, 'utf8');
  return () => parsePolicyDocument(basename(path), text);
}
