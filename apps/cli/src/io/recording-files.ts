import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';

/**
 * The files of one recording that an operand names: a file, several joined by commas, or a folder, whose files stand in the order of their
 * names.
 * @throws CliError (bad input) when the folder has no files
 */
export async function recordingFiles(operand: string, { cwd }: Pick<CliIo, 'cwd'>): Promise<readonly string[]> {
  const found = await stat(resolve(cwd, operand)).catch(() => undefined);
  if (found === undefined) return operand.split(',').filter((name) => name !== '');
  if (!found.isDirectory()) return [operand];
  const entries = await readdir(resolve(cwd, operand), { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  if (names.length === 0) throw badInput(`${operand}: the folder has no files`);
  return names.sort().map((name) => join(operand, name));
}
