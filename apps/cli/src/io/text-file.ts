import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { badInput, incomplete } from '../cli-error';
import type { CliIo } from './cli-io';

/** @throws CliError (bad input) if it cannot be read */
export function readText(name: string, { cwd }: Pick<CliIo, 'cwd'>): Promise<string> {
  return readFile(resolve(cwd, name), 'utf8').catch(cannotRead(name));
}

/** For `catch`. */
export function cannotRead(name: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw badInput(`${name}: cannot be read (${error.code ?? error.message})`);
  };
}

/**
 * Addresses of a running system by service.
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
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') cannotRead(file)(error);
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
