import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startSystem as launch, workspaceRoot } from '@market-state/launcher';
import type { System, SystemOptions } from '@market-state/launcher';

const defaultReadyTimeoutMs = 120_000;

/**
 * The whole system, as `npm start` runs it: its own stores, every process from its bundle (made anew when the sources have
 * changed), a free port, data that is removed afterwards unless a folder is given. Resolves when /readyz is 200; ends with
 * this process, however that ends.
 * @param readyTimeoutMs how long that may take; 120,000 by default
 * @throws Error with what the launcher had to say when it does not get ready
 */
export async function startSystem(options: SystemOptions = {}, readyTimeoutMs = defaultReadyTimeoutMs): Promise<System> {
  execFileSync(process.execPath, [join(workspaceRoot(), 'tools', 'bootstrap.mjs'), 'prepare']);
  const said: string[] = [];
  const system = await launch({ ...options, say: (line) => said.push(line) });
  try {
    await system.ready(AbortSignal.timeout(readyTimeoutMs));
    return system;
  } catch (error) {
    await system.kill();
    throw new Error(['The system did not get ready.', ...said].join('\n'), { cause: error });
  }
}
