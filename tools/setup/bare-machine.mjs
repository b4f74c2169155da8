/**
 * `node tools/setup/bare-machine.mjs ['<command>' | '<command>::<text>']...`, as root on Debian or Ubuntu. Each command
 * runs in a fresh clone of HEAD on a minimal Debian, as root and as an ordinary user, with empty caches. With
 * `::<text>` it gets a Ctrl-C once it writes the text.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './system-programs.mjs';

const workspace = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const insideFile = fileURLToPath(new URL('bare-process.mjs', import.meta.url));
const release = 'bookworm';
const users = [
  { name: 'root', id: 0, home: '/root' },
  { name: 'developer', id: 1000, home: '/home/developer' },
];

/**
 * @param commands `{ line, interruptAt? }`: a shell command, and the output text after which it gets SIGINT
 * @returns `{ user, line, passed, outcome, seconds, left, log }` per user and command
 */
export async function checkBareMachine(commands, say) {
  if (process.getuid?.() !== 0) throw new Error('The bare-machine check needs root to create a root folder and run commands in it.');
  const folder = join(cacheFolder(), 'bare-machine');
  mkdirSync(folder, { recursive: true });
  const base = join(folder, `${release}-base`);
  if (!existsSync(base)) makeBase(base, say);
  const results = [];
  for (const user of users) {
    const root = mkdtempSync(join(folder, 'root-'));
    try {
      furnish(base, root, user);
      for (const [index, command] of commands.entries()) {
        const log = join(folder, `${user.name}-${index + 1}.log`);
        say(`${command.line} as ${user.name}; output in ${log}`);
        results.push({ user: user.name, line: command.line, log, ...(await runInside(root, user, command, log)) });
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  return results;
}

/** Created once; runs start with a copy. */
function makeBase(base, say) {
  if (onPath('debootstrap') === undefined) {
    say('Installing debootstrap');
    run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', 'update', '-q']);
    run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', 'install', '-q', '-y', '--no-install-recommends', 'debootstrap']);
  }
  say(`Creating a minimal Debian (${release})`);
  const partial = `${base}.partial`;
  rmSync(partial, { recursive: true, force: true });
  run('debootstrap', ['--variant=minbase', release, partial, debianMirror()]);
  renameSync(partial, base);
}

function debianMirror() {
  const sources = run('apt-get', ['indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages']).split('\n');
  const mirror = sources.map((line) => line.split(' ')).find(([, of]) => of === release)?.[0];
  return mirror ?? 'http://deb.debian.org/debian';
}

function furnish(base, root, user) {
  run('cp', ['-a', `${base}/.`, root]);
  const local = join(root, 'usr', 'local');
  cpSync(realpathSync(onPath('node')), join(local, 'bin', 'node'));
  const npm = dirname(dirname(realpathSync(onPath('npm'))));
  run('cp', ['-a', npm, join(local, 'lib', 'npm')]);
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  // Written by every installer, but not by debootstrap.
  writeFileSync(join(root, 'etc', 'hosts'), '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n');
  cpSync('/etc/resolv.conf', join(root, 'etc', 'resolv.conf'), { dereference: true });
  const settings = run('apt-config', ['dump']).match(/^Acquire::(?:http|https|Check-).*;$/gm) ?? [];
  writeFileSync(join(root, 'etc', 'apt', 'apt.conf.d', '99machine'), settings.join('\n'));
  for (const file of certificateFiles()) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(file, join(root, file), { dereference: true });
  }
  if (user.id !== 0) {
    appendTo(join(root, 'etc', 'passwd'), `${user.name}:x:${user.id}:${user.id}::${user.home}:/bin/sh\n`);
    appendTo(join(root, 'etc', 'group'), `${user.name}:x:${user.id}:\n`);
  }
  const clone = join(root, user.home, 'market-state');
  mkdirSync(dirname(clone), { recursive: true });
  run('git', ['clone', '--quiet', '--no-hardlinks', workspace, clone]);
  run('chown', ['-R', `${user.id}:${user.id}`, join(root, user.home)]);
}

function certificateFiles() {
  const files = [process.env.NODE_EXTRA_CA_CERTS, npmSetting('cafile')];
  return [...new Set(files.filter((file) => file && existsSync(file)))];
}

function npmSetting(name) {
  const value = run('npm', ['config', 'get', name]).trim();
  return value === 'null' || value === 'undefined' ? undefined : value;
}

function environment(user) {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: user.home,
    USER: user.name,
    LANG: 'C.UTF-8',
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
    npm_config_registry: npmSetting('registry'),
    npm_config_cafile: npmSetting('cafile'),
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(?:https?|no)_proxy$/i.test(name))),
  };
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

/**
 * Runs a command in its own namespaces, so that all its processes can be counted. The shell is the first process and
 * reaps orphans.
 */
async function runInside(root, user, { line, interruptAt }, log) {
  const args = [
    '--mount',
    '--pid',
    '--fork',
    '--mount-proc',
    '--kill-child',
    'sh',
    '-c',
    '"$@"; exit $?',
    'sh',
    process.execPath,
    insideFile,
  ];
  const task = JSON.stringify({ root, user, line, interruptAt, log, env: environment(user) });
  const child = spawn('unshare', [...args, task], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`The run of ${line} as ${user.name} could not be watched (exit code ${code}).`);
  return JSON.parse(output);
}

/** Ignores node_modules folders, which npm adds to a script's PATH. */
function onPath(name) {
  const folders = process.env.PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

function appendTo(file, text) {
  writeFileSync(file, readFileSync(file, 'utf8') + text);
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status === 0) return stdout;
  throw new Error(`${command} failed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
}

function table(results) {
  const rows = results.map(({ user, line, passed, outcome, seconds, left }) => [
    passed ? 'passed' : 'FAILED',
    user,
    line,
    `${seconds} s`,
    outcome,
    left.length === 0 ? 'no process left' : `left: ${left.join(', ')}`,
  ]);
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

async function main(lines) {
  const commands = lines.map((argument) => {
    const [line, interruptAt] = argument.split('::');
    return { line, interruptAt };
  });
  const results = await checkBareMachine(commands, (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`${table(results)}\n`);
  const failed = results.filter(({ passed }) => !passed);
  process.stdout.write(`${results.length - failed.length} passed, ${failed.length} failed\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main(process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['npm test', 'npm start::Ready:']);
