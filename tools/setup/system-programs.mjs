import { accessSync, constants, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { downloadPrograms, startFault } from './debian-packages.mjs';
import { withSetupLock } from './setup-lock.mjs';

/**
 * `packages` maps Debian packages, preferred first, to their executable. `install` has commands for other systems, by a
 * pattern for os-release ids.
 */
const PROGRAMS = {
  redis: {
    title: 'Redis',
    names: ['redis-server', 'valkey-server'],
    packages: { 'redis-server': 'usr/bin/redis-server', 'valkey-server': 'usr/bin/valkey-server' },
    install: [
      [/darwin/, 'brew install valkey'],
      [/alpine/, 'sudo apk add redis'],
      [/fedora|rhel|centos/, 'sudo dnf install valkey'],
      [/arch/, 'sudo pacman -S valkey'],
      [/suse/, 'sudo zypper install redis'],
    ],
  },
  chromium: {
    title: 'Chromium',
    names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    packages: {
      'chromium-headless-shell': 'usr/lib/chromium/chromium-headless-shell',
      chromium: 'usr/lib/chromium/chromium',
    },
    install: [
      [/darwin/, 'brew install --cask chromium'],
      [/alpine/, 'sudo apk add chromium'],
      [/fedora|rhel|centos/, 'sudo dnf install chromium'],
      [/arch/, 'sudo pacman -S chromium'],
      [/suse/, 'sudo zypper install chromium'],
      // Its Debian package only refers to the snap.
      [/ubuntu/, 'sudo snap install chromium'],
    ],
  },
  curl: {
    title: 'curl',
    names: ['curl'],
    packages: { curl: 'usr/bin/curl' },
    install: [
      [/darwin/, 'brew install curl'],
      [/alpine/, 'sudo apk add curl'],
      [/fedora|rhel|centos/, 'sudo dnf install curl'],
      [/arch/, 'sudo pacman -S curl'],
      [/suse/, 'sudo zypper install curl'],
    ],
  },
  python: {
    title: 'Python',
    names: ['python3'],
    packages: { python3: 'usr/bin/python3' },
    install: [
      [/darwin/, 'brew install python'],
      [/alpine/, 'sudo apk add python3'],
      [/fedora|rhel|centos/, 'sudo dnf install python3'],
      [/arch/, 'sudo pacman -S python'],
      [/suse/, 'sudo zypper install python3'],
    ],
  },
};

/**
 * Downloads missing programs to the user's cache folder on Debian and Ubuntu, without root.
 * @param wanted of `redis`, `chromium`, `curl`, `python`
 * @returns the PATH with the programs
 * @throws Error in one line, with the install command
 */
export async function ensurePrograms(wanted, say) {
  const missing = wanted.filter((program) => PROGRAMS[program].names.every((name) => onPath(name) === undefined));
  if (missing.length === 0) return process.env.PATH;
  const folder = programFolder();
  const toDownload = missing.filter((program) => !isCached(folder, program));
  if (toDownload.length > 0) {
    if (onPath('apt-get') === undefined || onPath('dpkg-deb') === undefined) throw new Error(missingLine(toDownload[0]));
    await withSetupLock(folder, say, () => download(folder, toDownload, say));
  }
  return [process.env.PATH, join(folder, 'bin')].join(delimiter);
}

async function download(folder, programs, say) {
  const wanted = programs.filter((program) => !isCached(folder, program));
  if (wanted.length === 0) return;
  await downloadPrograms(
    folder,
    wanted.map((program) => ({ ...PROGRAMS[program], missingLine: missingLine(program) })),
    say,
  );
}

/** False for a program that no longer starts, as after a system upgrade. */
function isCached(folder, program) {
  return Object.keys(PROGRAMS[program].packages).some((name) => startFault(join(folder, 'bin', name)) === undefined);
}

export function missingLine(program, osRelease = readOsRelease()) {
  const { title, names, packages, install } = PROGRAMS[program];
  const ids = (osRelease.match(/^(?:ID|ID_LIKE)=.*$/gm) ?? []).join(' ');
  const command = install.find(([system]) => system.test(ids))?.[1] ?? `sudo apt-get install ${Object.keys(packages)[0]}`;
  return `${title} is missing: none of ${names.join(', ')} is on PATH. Install it, then try again: ${command}`;
}

function onPath(name) {
  const folders = isAbsolute(name) ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readOsRelease() {
  return existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : `ID=${process.platform}`;
}

/** Downloaded libraries fit one release of one system, so each release has a folder. */
function programFolder() {
  const osRelease = readOsRelease();
  const id = /^ID="?([\w.-]+)/m.exec(osRelease)?.[1];
  const release = /^(?:VERSION_ID|VERSION_CODENAME)="?([\w.-]+)/m.exec(osRelease)?.[1] ?? 'rolling';
  const folder = join(cacheFolder(), `${id}-${release}-${process.arch}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function cacheFolder() {
  try {
    const parent = process.env.XDG_CACHE_HOME ?? '';
    const folder = join(isAbsolute(parent) ? parent : join(homedir(), '.cache'), 'market-state');
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return temporaryCacheFolder();
  }
}

/** Everyone may write to the temporary folder, so a folder of another user is rejected. */
function temporaryCacheFolder() {
  const uid = process.getuid();
  const folder = join(tmpdir(), `market-state-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid) throw new Error(`${folder} belongs to another user. Set XDG_CACHE_HOME.`);
  return folder;
}
