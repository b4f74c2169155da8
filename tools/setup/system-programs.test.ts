import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ensurePrograms, missingLine } from './system-programs.mjs';

const apt = `
echo "$3 \${8-}" >> "$STATE/calls"
[ -e "$STATE/no-network" ] && [ "$3" = update ] && echo "W: Failed to fetch http://mirror  Temporary failure resolving 'mirror'"
[ "$3" = update ] && exit 0
[ -e "$STATE/slow" ] && sleep 0.3
[ -e "$STATE/broken" ] && echo 'E: Held packages' && exit 100
[ -e "$STATE/has-$8" ] || { echo "E: Unable to locate package $8"; exit 100; }
folder=$(sed -n 's/^Dir::Cache::archives "\\(.*\\)";$/\\1/p' "$2")
echo "$8" > "$folder/$8_1_all.deb"
`;
const dpkg = `
name=$(cat "$2")
case $name in chromium*) file=usr/lib/chromium/$name ;; *) file=usr/bin/$name ;; esac
mkdir -p "$3/\${file%/*}" "$3/usr/lib/arch" "$3/etc/fonts" "$3/usr/share/conf.avail"
touch "$3/usr/lib/arch/libneeded.so.1" "$3/usr/share/conf.avail/one.conf"
case $name in chromium*) touch "$3/etc/fonts/fonts.conf"; ln -s /usr/share/conf.avail/one.conf "$3/etc/fonts/one.conf" ;; esac
{ echo '#!/bin/sh'; cat "$STATE/has-$name"; echo; echo 'echo "$0 $LD_LIBRARY_PATH $FONTCONFIG_FILE"'; } > "$3/$file"
chmod 755 "$3/$file"
`;

const pathBefore = process.env['PATH'];
const cacheBefore = process.env['XDG_CACHE_HOME'];
let state: string;
let lines: string[];
const say = (line: string): void => void lines.push(line);
const mark = (name: string, text = ''): void => writeFileSync(join(state, name), text);
const aptCalls = (): string[] => (existsSync(join(state, 'calls')) ? readFileSync(join(state, 'calls'), 'utf8').trim().split('\n') : []);
const cached = (): string[] =>
  readdirSync(join(state, 'market-state'), { recursive: true, encoding: 'utf8' }).filter((file) => file.includes('/'));

function program(name: string, script: string): void {
  writeFileSync(join(state, 'bin', name), `#!/bin/sh\nPATH=/usr/bin:/bin\nSTATE='${state}'\n${script}`);
  chmodSync(join(state, 'bin', name), 0o755);
}

beforeEach(() => {
  lines = [];
  state = mkdtempSync(join(tmpdir(), 'system-programs-'));
  mkdirSync(join(state, 'bin'));
  program('apt-get', apt);
  program('dpkg-deb', dpkg);
  process.env['PATH'] = join(state, 'bin');
  process.env['XDG_CACHE_HOME'] = state;
});

afterEach(() => {
  process.env['PATH'] = pathBefore;
  if (cacheBefore === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cacheBefore;
  rmSync(state, { recursive: true, force: true });
});

test('a program on PATH is used as it is', async () => {
  program('valkey-server', '');
  expect(await ensurePrograms(['redis'], say)).toBe(join(state, 'bin'));
  expect([aptCalls(), lines]).toEqual([[], []]);
});

test('a program is downloaded once and found at the end of PATH with its libraries and fonts', async () => {
  mark('has-redis-server');
  mark('has-chromium-headless-shell');
  const path = await ensurePrograms(['redis', 'chromium'], say);
  const [before, folder = ''] = path.split(delimiter);
  expect(before).toBe(join(state, 'bin'));
  const [redis, chromium] = ['redis-server', 'chromium-headless-shell'].map((name) =>
    execFileSync(join(folder, name), { encoding: 'utf8' }),
  );
  expect(redis).toMatch(/redis-server-\w{12}\/usr\/bin\/redis-server \S*\/usr\/lib\/arch \n$/);
  expect(chromium).toMatch(/\/usr\/lib\/chromium\/chromium-headless-shell \S*\/usr\/lib\/arch \S*\/fonts\.conf\n$/);
  const linked = cached().find((file) => file.endsWith('etc/fonts/one.conf')) ?? '';
  expect(existsSync(join(state, 'market-state', linked))).toBe(true);
  expect(aptCalls()).toEqual(['update ', 'install redis-server', 'install chromium-headless-shell']);
  expect(lines.join('\n')).toMatch(
    /^Installing Redis \(Debian package redis-server\) and Chromium .*\nRedis: [\d.]+ s\nChromium: [\d.]+ s$/,
  );
  expect(await ensurePrograms(['redis', 'chromium'], say)).toBe(path);
  expect(aptCalls()).toHaveLength(3);
});

test('processes that need a program at once wait for one download', async () => {
  mark('has-redis-server');
  mark('slow');
  const script = `import(${JSON.stringify(join(import.meta.dirname, 'system-programs.mjs'))}).then((all) => all.ensurePrograms(['redis'], () => {}))`;
  const codes = await Promise.all(
    [1, 2].map(() => new Promise((resolve) => spawn(process.execPath, ['-e', script], { stdio: 'inherit' }).once('close', resolve))),
  );
  expect(codes).toEqual([0, 0]);
  expect(aptCalls()).toEqual(['update ', 'install redis-server']);
});

test('a failure leaves nothing behind, and the next call tries again', async () => {
  mark('broken');
  mark('has-redis-server', 'exit 1');
  await expect(ensurePrograms(['redis'], say)).rejects.toThrow(/^Redis could not be installed with apt-get: E: Held packages$/);
  expect(cached()).toEqual([]);
  rmSync(join(state, 'broken'));
  await expect(ensurePrograms(['redis'], say)).rejects.toThrow(
    /^The Debian package redis-server was downloaded but does not start: exit code 1$/,
  );
  expect(cached()).toEqual([]);
  mark('has-redis-server');
  await ensurePrograms(['redis'], say);
  expect(aptCalls().filter((call) => call === 'install redis-server')).toHaveLength(3);
});

test('a cached program that no longer starts is downloaded again', async () => {
  mark('has-redis-server', `[ -e '${state}/upgraded' ] && exit 1`);
  await ensurePrograms(['redis'], say);
  mark('upgraded');
  mark('has-redis-server');
  await ensurePrograms(['redis'], say);
  expect(aptCalls()).toHaveLength(4);
});

test('another package is taken if the sources do not have the first', async () => {
  mark('has-valkey-server');
  const path = await ensurePrograms(['redis'], say);
  expect(readdirSync(path.split(delimiter)[1] ?? '')).toEqual(['valkey-server']);
});

test('the error is one line with the command to run if no source has a package, and the reason if sources failed', async () => {
  await expect(ensurePrograms(['redis'], say)).rejects.toThrow(new Error(missingLine('redis')));
  mark('no-network');
  const line = `${missingLine('redis')} (apt-get: W: Failed to fetch http://mirror  Temporary failure resolving 'mirror')`;
  await expect(ensurePrograms(['redis'], say)).rejects.toThrow(new Error(line));
});

test('a system without apt-get gets the command to run', async () => {
  rmSync(join(state, 'bin', 'apt-get'));
  await expect(ensurePrograms(['chromium'], say)).rejects.toThrow(new Error(missingLine('chromium')));
});

test.each([
  ['ID=debian', 'sudo apt-get install redis-server', 'sudo apt-get install chromium-headless-shell'],
  ['ID=ubuntu\nID_LIKE=debian', 'sudo apt-get install redis-server', 'sudo snap install chromium'],
  ['NAME="Alpine Linux"\nID=alpine', 'sudo apk add redis', 'sudo apk add chromium'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"', 'sudo dnf install valkey', 'sudo dnf install chromium'],
  ['ID=arch', 'sudo pacman -S valkey', 'sudo pacman -S chromium'],
  ['ID="opensuse-leap"\nID_LIKE="suse opensuse"', 'sudo zypper install redis', 'sudo zypper install chromium'],
  ['ID=darwin', 'brew install valkey', 'brew install --cask chromium'],
])('the commands for %j', (osRelease, redis, chromium) => {
  expect(missingLine('redis', osRelease)).toMatch(new RegExp(`^Redis is missing: .*: ${redis}$`));
  expect(missingLine('chromium', osRelease)).toMatch(new RegExp(`^Chromium is missing: .*: ${chromium}$`));
});
