import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const SAID_BYTES_MAX = 256 * 1_024 * 1_024;
const SHOWN = 2_000;

/** How a command is run. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  readonly timeoutMs: number;
}

/**
 * Runs a program to its end.
 * @returns what it wrote to stdout
 * @throws Error with the end of what it said when it fails or takes too long
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  { env, timeoutMs, ...options }: CommandOptions,
): Promise<string> {
  const settings = { ...options, timeout: timeoutMs, maxBuffer: SAID_BYTES_MAX, env: { ...process.env, LC_ALL: 'C', ...env } };
  return promisify(execFile)(program, [...args], settings).then(
    ({ stdout }) => stdout,
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
      const said = `${error.stdout ?? ''}\n${error.stderr ?? ''}`.trim().slice(-SHOWN);
      throw new Error(`${program} ${args[0] ?? ''} failed: ${said || error.message}`);
    },
  );
}
