import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { badInput } from '../cli-error';

/** A service and the key that it is asked with, as `login` keeps them. */
export interface Profile {
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
}

const OTHERS = 0o077;

/** The profile; undefined where nobody has logged in. @throws CliError (bad input) when it is no profile, or others may read it */
export async function readProfile(file: string): Promise<Profile | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  if ((found.mode & OTHERS) !== 0)
    throw badInput(`${file} holds a key, and others may read it (mode ${(found.mode & 0o777).toString(8)}): run chmod 600 on it.`);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${file}: it cannot be read (${error.code ?? error.message})`);
  });
  const { url, api_key: apiKey } = membersOf(text);
  if (typeof url !== 'string' || typeof apiKey !== 'string') throw badInput(`${file} is no profile: log in again (market-state login).`);
  return { url, apiKey };
}

/** Writes it whole, for its owner alone. @throws CliError (bad input) when it cannot be written */
export async function writeProfile(file: string, { url, apiKey }: Profile): Promise<void> {
  const partial = `${file}.${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(partial, `${JSON.stringify({ url, api_key: apiKey }, null, 2)}\n`, { mode: 0o600 });
    await chmod(partial, 0o600);
    await rename(partial, file);
  } catch (error) {
    throw badInput(`${file}: it cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
