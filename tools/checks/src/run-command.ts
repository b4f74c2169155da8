import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { warden, workspaceRoot } from '@market-state/launcher';

/** What came of a command. */
export interface CommandResult {
  /** Whether it ended with code 0. */
  passed: boolean;
  /** What it wrote to both outputs; empty when it was shown at once. */
  output: string;
}

/**
 * Runs a program of the workspace (`node`, or one of node_modules/.bin) in the workspace's top folder. It ends when this
 * process does. One that is not shown leaves the processor to what else runs.
 * @param show writes its output straight to the console instead of collecting it
 */
export function runCommand(
  program: string,
  args: readonly string[],
  { show = false, env = {} }: { show?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<CommandResult> {
  const root = workspaceRoot();
  const command = program === 'node' ? process.execPath : `${root}/node_modules/.bin/${program}`;
  // From its first moment on: a priority that is set later comes too late for what it has begun.
  const [first, before] = show ? [command, []] : ['nice', ['-n', String(constants.priority.PRIORITY_LOW), command]];
  const child = spawn(first, [...before, ...args], {
    cwd: root,
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', ...env },
    detached: true,
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
  });
  if (child.pid !== undefined) warden().own(child.pid, 'SIGTERM');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (child.pid !== undefined) warden().disown(child.pid);
      resolve({ passed: code === 0, output });
    });
  });
}
