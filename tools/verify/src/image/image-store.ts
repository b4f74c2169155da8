import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageConfig, runCommand } from './bubble';

const BUILD_MS = 20 * 60_000;
const STEP_MS = 5 * 60_000;
/** npm opens more files at once than a process may without asking. */
const FILES_MAX = 16_384;
/** Which images are taken is no question here: all are made here. */
const TRUST = JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] });

/** Copies the folder that a command mounts and names; the first word is where to. */
const COPY = 'cp -a "$("$@")" "$0"';

/** What an image is built from. */
export interface BuildOrder {
  readonly app: string;
  /** Folder of the sources. */
  readonly sources: string;
  /** Time of the sources, since 1970. */
  readonly seconds: number;
  /** The bases by name and digest. */
  readonly bases: { readonly build: string; readonly run: string };
  /** A cache that has every package of the lock file, and a file of settings by which npm takes them from nowhere else. */
  readonly npm: { readonly cache: string; readonly settings: string };
}

/** Images and layers in a folder, which no other store shares. */
export interface ImageStore {
  /** Makes a base of a folder's files. @returns its name and digest */
  addBase(name: string, root: string): Promise<string>;
  /**
   * Builds the image of an app in a network that is empty.
   * @returns its identifier: the digest of its configuration, which has each layer's
   */
  build(order: BuildOrder): Promise<string>;
  /** Puts the files of an image into a new folder, with their owners. @returns how it is run */
  unpack(image: string, folder: string): Promise<ImageConfig>;
}

/** @param folder a new one for the store's files */
export function openImageStore(folder: string): ImageStore {
  mkdirSync(folder, { mode: 0o700 });
  const [policy, identifier] = [join(folder, 'policy.json'), join(folder, 'image-id')];
  writeFileSync(policy, TRUST);
  const places = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'overlay'];
  /** In an empty network, and where no mount outlives it. */
  const alone = (args: readonly string[], timeoutMs = STEP_MS): Promise<string> =>
    runCommand('unshare', ['--net', '--mount', ...args], { timeoutMs, env: { TMPDIR: folder } });
  const buildah = (command: string, args: readonly string[], timeoutMs?: number): Promise<string> =>
    alone(['buildah', ...places, command, ...args], timeoutMs);
  const inContainer = async <T>(image: string, work: (container: string) => Promise<T>): Promise<T> => {
    const container = (await buildah('from', ['--pull-never', '--signature-policy', policy, image])).trim();
    try {
      return await work(container);
    } finally {
      await buildah('rm', [container]);
    }
  };
  return {
    async addBase(name, root) {
      const archive = join(folder, `${name}.tar`);
      await runCommand('tar', ['--sort=name', '--mtime=@0', '-C', root, '-cf', archive, '.'], { timeoutMs: STEP_MS });
      await inContainer('scratch', async (container) => {
        await buildah('add', ['--quiet', container, archive, '/']);
        await buildah('commit', ['--quiet', '--signature-policy', policy, '--timestamp', '0', container, `localhost/${name}`]);
      });
      const digest = await buildah('inspect', ['--type', 'image', '--format', '{{.FromImageDigest}}', `localhost/${name}`]);
      return `localhost/${name}@${digest.trim()}`;
    },
    async build({ app, sources, seconds, bases, npm }) {
      const said = await buildah(
        'build',
        [
          ...['--isolation', 'chroot', '--network', 'host', '--ulimit', `nofile=${FILES_MAX}:${FILES_MAX}`],
          ...['--pull-never', '--layers', '--signature-policy', policy],
          ...['--timestamp', String(seconds), '--build-arg', `SOURCE_DATE_EPOCH=${seconds}`],
          ...['--build-arg', `BUILD_IMAGE=${bases.build}`, '--build-arg', `RUN_IMAGE=${bases.run}`],
          ...['--volume', `${npm.cache}:/root/.npm:O`, '--volume', `${npm.settings}:/root/.npmrc:ro`],
          ...['--iidfile', identifier, '--file', join(sources, 'deploy', 'images', app, 'Containerfile'), sources],
        ],
        BUILD_MS,
      );
      writeFileSync(join(folder, `${app}.log`), said);
      return readFileSync(identifier, 'utf8').trim();
    },
    unpack(image, into) {
      return inContainer(image, async (container) => {
        await alone(['sh', '-ec', COPY, into, 'buildah', ...places, 'mount', container]);
        const said = JSON.parse(await buildah('inspect', ['--type', 'image', image])) as {
          readonly OCIv1: { readonly config: ImageConfig };
        };
        return said.OCIv1.config;
      });
    },
  };
}
