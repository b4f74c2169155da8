import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { badInput, incomplete } from '../cli-error';

/**
 * @param otherwise completes the hint shown if no system runs there: `name …`
 * @throws CliError if there are none
 */
export async function readEndpointsFile<N extends string>(
  cwd: string,
  dataDir: string,
  names: readonly N[],
  otherwise: string,
): Promise<Record<N, string>> {
  const file = join(resolve(cwd, dataDir), 'endpoints.json');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw badInput(`${file}: cannot be read (${error.code ?? error.message})`);
    throw incomplete(
      `No system runs with its data in ${dataDir}: ${file} does not exist.`,
      `Start one with npm start, name its folder with --data-dir, or ${otherwise}.`,
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
    // Reported below.
  }
  throw badInput(`${file}: not a JSON object`);
}
