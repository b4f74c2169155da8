import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { badInput, incomplete } from '../cli-error';

/**
 * The addresses, host:port each, that a system which runs on this machine wrote into its data folder, by their names there.
 * @param otherwise ends the sentence that says what to do when no system runs there: `name …`
 * @throws CliError when there are none
 */
export async function readEndpointsFile<N extends string>(
  cwd: string,
  dataDir: string,
  names: readonly N[],
  otherwise: string,
): Promise<Record<N, string>> {
  const file = join(resolve(cwd, dataDir), 'endpoints.json');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw badInput(`${file}: it cannot be read (${error.code ?? error.message})`);
    throw incomplete(
      `No system runs with its data in ${dataDir}: there is no ${file}.`,
      `Start one (npm start), name its folder with --data-dir, or ${otherwise}.`,
    );
  });
  const members = parsed(text, file);
  const entries = names.map((name) => [name, members[name]] as const);
  if (!entries.every(([, address]) => typeof address === 'string'))
    throw badInput(`${file}: it must name ${names.map((name) => `"${name}"`).join(' and ')}`);
  return Object.fromEntries(entries) as Record<N, string>;
}

function parsed(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below.
  }
  throw badInput(`${file}: it is not a JSON object`);
}
