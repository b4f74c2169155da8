import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an image says of how it is run. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
}

/** The files of an image in a folder, and how it is run. */
export interface UnpackedImage {
  readonly root: string;
  readonly config: ImageConfig;
}

/** A program in the bubble. */
export interface Bubbled {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number;
  readonly gid: number;
}

/** What of this machine is seen in the bubble: a path there, and the path here. */
export interface Mounts {
  readonly readOnly: readonly (readonly [there: string, here: string])[];
  readonly writable: readonly (readonly [there: string, here: string])[];
}

/** An image that was unpacked into `<folder>/<app>`, with its configuration beside it. */
export function unpackedImage(folder: string, app: string): UnpackedImage {
  return { root: join(folder, app), config: JSON.parse(readFileSync(join(folder, `${app}.json`), 'utf8')) as ImageConfig };
}

const nothing: Mounts = { readOnly: [], writable: [] };

/**
 * A program of an image as a container runs it: the files of the image, read-only, as its own user, without a capability; /tmp, /run and
 * what is mounted beside them. It has the network of whoever starts it.
 * @param words what follows the entry point
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
