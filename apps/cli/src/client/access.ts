import { readFile, chmod, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve, dirname } from 'node:path';
import { SERVICE_URL } from '../arguments/values';
import { badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile, readText } from '../io/text-file';
import { parsedRow } from '../output/row-writer';

/** Service and key saved by `login`. */
interface Profile {
  readonly url: string;
  readonly apiKey: string;
}

const OTHERS = 0o077;

/**
 * Returns undefined before the first login. @throws CliError (bad input) if the file is not a profile, or other users
 * can read it
 */
export async function readProfile(file: string): Promise<Profile | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  if ((found.mode & OTHERS) !== 0)
    throw badInput(`${file} contains a key but other users can read it (mode ${(found.mode & 0o777).toString(8)}). Run chmod 600 on it.`);
  const { url, api_key: apiKey } = parsedRow(await readText(file, { cwd: '/' })) ?? {};
  if (typeof url !== 'string' || typeof apiKey !== 'string')
    throw badInput(`${file} is not a valid profile. Run "market-state login" again.`);
  return { url, apiKey };
}

/** Written atomically, readable by its owner only. @throws CliError (bad input) if it cannot be written */
export async function writeProfile(file: string, { url, apiKey }: Profile): Promise<void> {
  const partial = `${file}.${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(partial, `${JSON.stringify({ url, api_key: apiKey }, null, 2)}\n`, { mode: 0o600 });
    await chmod(partial, 0o600);
    await rename(partial, file);
  } catch (error) {
    throw badInput(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
}

type KeySource = 'environment' | 'profile' | 'demo' | 'none';

export interface Access {
  readonly url: string;
  readonly apiKey?: string;
  readonly keySource: KeySource;
}

export interface AccessOrder {
  readonly url?: string;
  readonly dataDir?: string;
}

export function dataFolder(io: CliIo, dataDir: string | undefined): string {
  return resolve(io.cwd, dataDir ?? io.dataDir);
}

export function demoKeyFile(folder: string): string {
  return join(folder, 'demo-key');
}

/**
 * Resolves the service: `url`, then `MARKET_STATE_URL`, then the profile, then the system on this machine; `dataDir`
 * selects the last. The environment's key wins. Otherwise the profile's key is sent only to the profile's service, and
 * the demo key only to the local system.
 * @throws CliError if no service is named and none runs here
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
  const otherwise = 'name a service with --url, MARKET_STATE_URL or "market-state login"';
  return (await readEndpointsFile(io.cwd, folder, ['gateway'], otherwise)).gateway;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
