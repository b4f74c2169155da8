import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { loadPolicy, parsePolicy, parsePolicyDocument, policyFileNames, PolicyError, type Policy } from '@market-state/labeler';
import { badInput } from '../cli-error';

/**
 * From a folder of JSON files or one JSON file with all of them by name; the shipped policy by default.
 * @throws CliError (bad input) with every fault, by file and line
 */
export async function readPolicy(given: string | undefined, cwd: string): Promise<Policy> {
  if (given === undefined) return loadPolicy();
  const path = resolve(cwd, given);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${given}: ${error.code === 'ENOENT' ? 'no such folder or file' : `cannot be read (${error.code ?? ''})`}`);
  });
  const parse = await (found.isDirectory() ? parserOfFolder(given, path) : parserOfFile(path));
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw badInput(`${given} is not a valid policy:`, ...error.message.split('\n'));
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
