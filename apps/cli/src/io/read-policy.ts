import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadPolicy, parsePolicy, policyFileNames, PolicyError, type Policy } from '@market-state/labeler';
import { badInput } from '../cli-error';

/**
 * The policy of a folder's JSON files; without a folder, the one that ships. @throws CliError (bad input) with every fault, file and line
 */
export async function readPolicy(folder: string | undefined, cwd: string): Promise<Policy> {
  if (folder === undefined) return loadPolicy();
  const path = resolve(cwd, folder);
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    throw badInput(
      `${folder}: ${error.code === 'ENOENT' ? 'there is no such folder' : `it cannot be read as a folder (${error.code ?? ''})`}`,
    );
  });
  if (!names.some((name) => policyFileNames.includes(name)))
    throw badInput(`${folder} has no policy files (expected: ${policyFileNames.join(', ')})`);
  const texts = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const),
  );
  try {
    return parsePolicy(new Map(texts));
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw badInput(`${folder} is not a policy:`, ...error.message.split('\n'));
  }
}
