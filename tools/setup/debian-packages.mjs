import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const startTimeoutMs = 60_000;

/**
 * Downloads Debian packages with missing dependencies, unpacks them in a folder and creates `<folder>/bin/<package>`
 * for each, without system changes or locks. The caller ensures that only one process works in the folder.
 * @param programs `packages` maps alternatives, preferred first, to their executable; `missingLine` is the error if
 * no source offers one of them
 */
export async function downloadPrograms(folder, programs, say) {
  removeEntries(folder, /\.partial$/);
  const wanted = programs.map(({ title, packages }) => `${title} (Debian package ${Object.keys(packages)[0]})`);
  say(`Installing ${wanted.join(' and ')} in ${folder}`);
  try {
    const apt = await openApt(join(folder, 'apt.partial'));
    for (const program of programs) await downloadProgram(folder, program, apt, say);
  } finally {
    removeEntries(folder, /\.partial$/);
  }
}

export function startFault(file) {
  const { status, error, stderr } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: startTimeoutMs });
  if (status === 0) return undefined;
  return error?.message ?? (stderr.trim().split('\n').at(-1) || `exit code ${status}`);
}

async function openApt(folder) {
  const archives = join(folder, 'archives');
  for (const made of [join(folder, 'lists', 'partial'), archives]) mkdirSync(made, { recursive: true });
  const config = join(folder, 'apt.conf');
  writeFileSync(config, aptConfig(folder));
  // A failing source does not matter if another one has the packages.
  const output = await run('apt-get', ['-c', config, 'update', '-q']).catch((error) => {
    if (error.isStopped) throw error;
    return error.message;
  });
  return { config, archives, complaint: lastComplaint(output) };
}

/** Read after the system's settings. `#clear` drops hooks that write to the system. */
function aptConfig(folder) {
  return `#clear APT::Update;
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Debug::NoLocking "true";
Dir::State "${folder}";
Dir::State::lists "${folder}/lists";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "${folder}";
Dir::Cache::archives "${folder}/archives";
`;
}

async function downloadProgram(folder, program, apt, say) {
  const startedAt = performance.now();
  const name = await fetchFirst(program, apt);
  const archives = readdirSync(apt.archives).filter((file) => file.endsWith('.deb'));
  const digest = createHash('sha256').update(archives.sort().join('\n')).digest('hex').slice(0, 12);
  const root = join(folder, `${name}-${digest}`);
  const partial = `${root}.partial`;
  mkdirSync(partial);
  for (const archive of archives) await run('dpkg-deb', ['-x', join(apt.archives, archive), partial]);
  const ofAnyVersion = new RegExp(`^${name}-[0-9a-f]{12}$`);
  removeEntries(folder, ofAnyVersion);
  renameSync(partial, root);
  try {
    makeExecutable(folder, name, root, program.packages[name]);
  } catch (error) {
    removeEntries(folder, ofAnyVersion);
    throw error;
  }
  say(`${program.title}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

async function fetchFirst({ title, packages, missingLine }, apt) {
  for (const name of Object.keys(packages)) {
    rmSync(apt.archives, { recursive: true });
    mkdirSync(join(apt.archives, 'partial'), { recursive: true });
    const args = ['-c', apt.config, 'install', '-q', '-y', '--download-only', '--no-install-recommends', name];
    try {
      await run('apt-get', args);
      return name;
    } catch (error) {
      if (/Unable to locate package|no installation candidate/.test(error.message)) continue;
      throw new Error(`${title} could not be installed with apt-get: ${lastComplaint(error.message) ?? lastLine(error.message)}`);
    }
  }
  throw new Error(apt.complaint === undefined ? missingLine : `${missingLine} (apt-get: ${apt.complaint})`);
}

/** The failed downloads, else the last error. */
function lastComplaint(output) {
  return (output.match(/^[EW]: Failed to fetch.*$/gm) ?? output.match(/^E: .*$/gm))?.at(-1);
}

function lastLine(text) {
  return text.trim().split('\n').at(-1);
}

/** Creates `<folder>/bin/<name>`, which runs a file under `root` with its libraries and fonts. */
function makeExecutable(folder, name, root, file) {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) if (entry.isSymbolicLink()) pointInto(root, join(entry.parentPath, entry.name));
  const libraries = new Set(entries.filter((entry) => /^lib.*\.so(?:\.|$)/.test(entry.name)).map((entry) => entry.parentPath));
  const lines = ['#!/bin/sh', `export LD_LIBRARY_PATH=${quoted([...libraries].join(':'))}`];
  if (existsSync(join(root, 'etc', 'fonts', 'fonts.conf'))) lines.push(`export FONTCONFIG_FILE=${quoted(writeFontConfig(root))}`);
  const partial = join(folder, `${name}.partial`);
  writeFileSync(partial, [...lines, `exec ${quoted(join(root, file))} "$@"`, ''].join('\n'), { mode: 0o755 });
  const fault = startFault(partial);
  if (fault !== undefined) throw new Error(`The Debian package ${name} was downloaded but does not start: ${fault}`);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  renameSync(partial, join(folder, 'bin', name));
}

/** A package's absolute links assume that it is unpacked at /. */
function pointInto(root, link) {
  const target = readlinkSync(link);
  if (!isAbsolute(target) || !existsSync(join(root, target))) return;
  rmSync(link);
  symlinkSync(relative(dirname(link), join(root, target)), link);
}

function writeFontConfig(root) {
  const file = join(root, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${root}/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${root}/var/cache/fontconfig</cachedir>
  <include ignore_missing="yes">${root}/etc/fonts/conf.d</include>
</fontconfig>
`,
  );
  return file;
}

function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function removeEntries(folder, pattern) {
  for (const entry of readdirSync(folder))
    if (pattern.test(entry)) rmSync(join(folder, entry), { recursive: true, force: true, maxRetries: 3 });
}

/** A signal to this process ends the command instead, so that the caller can clean up. */
async function run(command, args) {
  const child = spawn(command, args, { env: { ...process.env, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  let received;
  const forward = (signal) => {
    received = signal;
    child.kill(signal);
  };
  for (const signal of stopSignals) process.on(signal, forward);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  try {
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    if (received !== undefined) throw Object.assign(new Error(`stopped by ${received}`), { isStopped: true });
    if (code !== 0) throw new Error(`${output}\n${command} ended with exit code ${code}`);
    return output;
  } finally {
    for (const signal of stopSignals) process.off(signal, forward);
  }
}
