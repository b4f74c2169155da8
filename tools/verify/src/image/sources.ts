import { copyFileSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { runCommand } from './command';

const GIT_MS = 60_000;

/** What an operator may have in the folder that images are built in, and no image may have. */
const PRIVATE = [
  '.env',
  '.npmrc',
  '.git/config',
  '.data/secrets/ANSWER_SECRET',
  'apps/account/.env',
  'deploy/compose/.env',
  'deploy/compose/secrets/account/DATABASE_URL',
  'deploy/compose/certificates/ca.key',
  'tools/launcher/.data/signing-key.pem',
];

/** The sources in a folder of their own. */
export interface Sources {
  readonly folder: string;
  /** Time of the newest commit, seconds since 1970. */
  readonly seconds: number;
  /** In the text of each planted file, and nowhere else. */
  readonly canary: string;
}

/**
 * Copies every file that is under version control or not yet, as they are now, and plants in the copy what must not reach an image.
 * @param canary the text of each planted file
 */
export async function copySources(folder: string, canary: string): Promise<Sources> {
  const root = workspaceRoot();
  const git = (...args: readonly string[]): Promise<string> => runCommand('git', ['-C', root, ...args], { timeoutMs: GIT_MS });
  const files = (await git('ls-files', '-z', '--cached', '--others', '--exclude-standard')).split('\0').filter((file) => file !== '');
  for (const file of files) {
    const from = join(root, file);
    if (!existsSync(from) || !lstatSync(from).isFile()) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(from, join(folder, file));
  }
  for (const file of PRIVATE) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${file === '.npmrc' ? ';' : ''}${canary}\n`);
  }
  return { folder, seconds: Number((await git('log', '-1', '--format=%ct')).trim()), canary };
}
