import { readFile, chmod, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve, dirname } from 'node:path';
import { SERVICE_URL } from '../arguments/values';
import { badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/endpoints-file';

/** A service and the key that it is asked with, as `login` keeps them. */
interface Profile {
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

/** Where a key was found. */
type KeySource = 'environment' | 'profile' | 'demo' | 'none';

/** How the service is reached. */
export interface Access {
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiKey?: string;
  readonly keySource: KeySource;
}

export interface AccessOrder {
  readonly url?: string;
  readonly dataDir?: string;
}

/** Where a system keeps its data, as an absolute path. */
export function dataFolder(io: CliIo, dataDir: string | undefined): string {
  return resolve(io.cwd, dataDir ?? io.dataDir);
}

/** Where the system with this data keeps its demo key. */
export function demoKeyFile(folder: string): string {
  return join(folder, 'demo-key');
}

/**
 * The service named by `url`, else by `MARKET_STATE_URL`, else by the profile, else the one that runs on this machine; `dataDir` means the
 * latter. The key is that of the environment; without it, the key of the profile goes to the profile's service alone, and the demo key to
 * the system on this machine alone.
 * @throws CliError when no service is named and none runs here
 */
export async function openAccess(io: CliIo, { url, dataDir }: AccessOrder): Promise<Access> {
  if (io.url !== undefined && !SERVICE_URL.test(io.url))
    throw badInput(`MARKET_STATE_URL must look like http://127.0.0.1:8080, not ${JSON.stringify(io.url)}`);
  const profile = await readProfile(io.profileFile);
  const named = url ?? (dataDir === undefined ? (io.url ?? profile?.url) : undefined);
  const folder = dataFolder(io, dataDir);
  const address = withoutSlash(named ?? (await localAddress(io, folder)));
  if (io.apiKey !== undefined) return { url: address, apiKey: io.apiKey, keySource: 'environment' };
  if (profile?.url === address) return { url: address, apiKey: profile.apiKey, keySource: 'profile' };
  const isLocal = named === undefined || withoutSlash(await localAddress(io, folder).catch(() => '')) === address;
  const demoKey = isLocal ? await readFile(demoKeyFile(folder), 'utf8').catch(() => undefined) : undefined;
  return demoKey === undefined ? { url: address, keySource: 'none' } : { url: address, apiKey: demoKey.trim(), keySource: 'demo' };
}

async function localAddress(io: CliIo, folder: string): Promise<string> {
  const otherwise = 'name a service with --url, MARKET_STATE_URL or market-state login';
  return (await readEndpointsFile(io.cwd, folder, ['gateway'], otherwise)).gateway;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
