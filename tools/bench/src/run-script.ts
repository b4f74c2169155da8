import { once } from 'node:events';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { spawnOwned } from '@market-state/testing';

/**
 * Runs a benchmark script to completion.
 * @param stdout shows or returns its output
 * @throws Error if it fails
 */
export async function runScript(file: string, args: readonly string[] = [], stdout: 'inherit' | 'pipe' = 'inherit'): Promise<string> {
  const root = workspaceRoot();
  const child = spawnOwned(process.execPath, ['--import', '@oxc-node/core/register', join(root, file), ...args], {
    cwd: root,
    stdio: ['ignore', stdout, 'inherit'],
  });
  let printed = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`${file} exited with ${signal ?? code}.`);
  return printed;
}
