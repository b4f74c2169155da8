import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/endpoints-file';
import type { RestAccess } from '../io/rest-api';

/** Where a system keeps its data, as an absolute path. */
export function dataFolder(io: CliIo, dataDir: string | undefined): string {
  return resolve(io.cwd, dataDir ?? io.dataDir);
}

export interface AccessOrder {
  readonly url?: string;
  readonly key?: string;
  readonly dataDir?: string;
}

/**
 * The service named by `url`, or the one that runs on this machine; and the key given, that of the environment, or the demo key in the data
 * folder.
 * @throws CliError when there is none
 */
export async function openAccess(io: CliIo, { url, key, dataDir }: AccessOrder): Promise<RestAccess> {
  const folder = dataFolder(io, dataDir);
  const address = url ?? (await readEndpointsFile(io.cwd, folder, ['gateway'], 'name a service with --url')).gateway;
  return { url: address, key: key ?? io.apiKey ?? (await readDemoKey(folder)) };
}

/** What a shell writes in the place of that key; the demo key and that of the environment are not shown. */
export function keyInShell(io: CliIo, { key, dataDir }: AccessOrder): string {
  if (key !== undefined) return key;
  return io.apiKey === undefined ? `$(cat ${demoKeyFile(dataFolder(io, dataDir))})` : '$MARKET_STATE_API_KEY';
}

function demoKeyFile(folder: string): string {
  return join(folder, 'demo-key');
}

async function readDemoKey(folder: string): Promise<string> {
  const file = demoKeyFile(folder);
  const text = await readFile(file, 'utf8').catch(() => {
    throw incomplete(
      `No key: there is no ${file}.`,
      'Set MARKET_STATE_API_KEY, give --key, or name the folder of a running system with --data-dir.',
    );
  });
  return text.trim();
}
