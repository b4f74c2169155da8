import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const SAID_BYTES_MAX = 256 * 1_024 * 1_024;
const SHOWN = 2_000;

interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  readonly timeoutMs: number;
}

/**
 * @returns its stdout
 * @throws Error with the end of its output if it fails or times out
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

export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
}

export interface UnpackedImage {
  readonly root: string;
  readonly config: ImageConfig;
}

interface Bubbled {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number;
  readonly gid: number;
}

/** Files of this machine visible in the sandbox: the path inside, and the path here. */
interface Mounts {
  readonly readOnly: readonly (readonly [there: string, here: string])[];
  readonly writable: readonly (readonly [there: string, here: string])[];
}

export function unpackedImage(folder: string, app: string): UnpackedImage {
  return { root: join(folder, app), config: JSON.parse(readFileSync(join(folder, `${app}.json`), 'utf8')) as ImageConfig };
}

const nothing: Mounts = { readOnly: [], writable: [] };

/**
 * Runs an image's program like a container: its own files read-only, its own user, no capabilities, plus /tmp, /run and
 * the mounts. Shares the caller's network.
 * @param words arguments after the entry point
 */
export function bubble(
  { root, config }: UnpackedImage,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  { readOnly, writable }: Mounts = nothing,
): Bubbled {
  const [uid = Number.NaN, gid = Number.NaN] = config.User.split(':').map(Number);
  const ofImage = config.Env.map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  const env = { ...Object.fromEntries(ofImage), ...variables };
  const args = [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--uid', String(uid), '--gid', String(gid)],
    ...['--ro-bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...readOnly.flatMap(([there, here]) => ['--ro-bind', here, there]),
    ...writable.flatMap(([there, here]) => ['--bind', here, there]),
    ...['--chdir', config.WorkingDir, '--clearenv'],
    ...Object.entries(env).flatMap(([name, text]) => ['--setenv', name, text]),
    ...['--', ...config.Entrypoint, ...words],
  ];
  return { command: 'bwrap', args, env: { PATH: process.env['PATH'] }, uid, gid };
}
