import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** Runs one benchmark script of the workspace to its end. @throws Error when it fails */
export function run(file: string): Promise<void> {
  const root = workspaceRoot();
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli');
  const child = spawn(process.execPath, [tsx, join(root, file)], { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${file} ended with ${signal ?? code}.`));
    });
  });
}
