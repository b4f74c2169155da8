import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER_ID } from '@market-state/deploy';
import { workspaceRoot } from '@market-state/launcher';
import type { Report } from '../harness';
import { bubble, unpackedImage } from './bubble';
import { runCommand } from './command';
import { judgeContents } from './judge-contents';

const PROBE_MS = 60_000;

/** What a program of Node finds in the bubble, and says as JSON. It asks each package that the app loads for work of its own. */
const LOOK = `
const fs = require('node:fs');
const { createRequire } = require('node:module');
const own = createRequire('/app/dist/');
const code = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
const works = {
  '@node-rs/argon2': async () => { const { hash, verify } = own('@node-rs/argon2'); return verify(await hash('word'), 'word'); },
  '@duckdb/node-api': async () => {
    const { DuckDBInstance } = own('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const file = '/tmp/rows.parquet';
    await connection.run("COPY (SELECT 42 AS answer) TO '" + file + "' (FORMAT parquet)");
    return (await connection.runAndReadAll("SELECT answer FROM '" + file + "'")).getRows()[0][0] === 42;
  },
  '@aws-sdk/client-s3': async () => typeof new (own('@aws-sdk/client-s3').S3Client)({ region: 'none' }).send === 'function',
};
const loads = JSON.parse(process.argv[1]);
(async () => {
  const loaded = {};
  for (const name of loads) loaded[name] = name in works ? await works[name]() : own.resolve(name) !== '';
  const shells = ['/bin/sh', '/bin/bash', '/bin/busybox', '/usr/bin/sh', '/usr/bin/apt', '/usr/bin/dpkg'].filter(fs.existsSync);
  const writes = Object.fromEntries(['/app/new', '/app/dist/new', '/etc/new', '/new'].map((path) => [path, code(() => fs.writeFileSync(path, ''))]));
  const temporary = code(() => fs.writeFileSync('/tmp/new', ''));
  const capabilities = /CapEff:\\s*(\\w+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
  console.log(JSON.stringify({ uid: process.getuid(), gid: process.getgid(), version: process.version, loaded, shells, writes, temporary, capabilities }));
})();
`;

interface Found {
  readonly uid: number;
  readonly gid: number;
  readonly version: string;
  readonly loaded: Readonly<Record<string, boolean>>;
  readonly shells: readonly string[];
  readonly writes: Readonly<Record<string, string>>;
  readonly temporary: string;
  readonly capabilities: string;
}

/** Looks at an image from inside: who its programs are, what they may write, and whether what they load works. */
export async function probe(report: Report, folder: string, app: string): Promise<void> {
  const image = unpackedImage(folder, app);
  const loads = loadsOf(app);
  const { command, args, env, uid, gid } = bubble(image, ['-e', LOOK, JSON.stringify(loads)]);
  const found = JSON.parse(await runCommand(command, args, { env, uid, gid, timeoutMs: PROBE_MS })) as Found;
  const isKept = Object.values(found.writes).every((code) => code === 'EROFS') && found.temporary === 'done';
  report.check(isKept, `${app}: its files are not read-only but for /tmp: ${JSON.stringify(found.writes)}, ${found.temporary}.`);
  report.check(found.uid === USER_ID && found.gid === USER_ID, `${app} runs as ${found.uid}:${found.gid}.`);
  report.check(/^0+$/.test(found.capabilities), `${app} has capabilities: ${found.capabilities}.`);
  report.check(found.shells.length === 0, `${app} has ${found.shells.join(', ')}.`);
  const broken = Object.entries(found.loaded).filter(([, works]) => !works);
  report.check(broken.length === 0, `${app} cannot use ${broken.map(([name]) => name).join(', ')}.`);
  report.fail(...judgeContents(app, image, loads));
}

/** What the programs of an app load beside what is in them. */
function loadsOf(app: string): readonly string[] {
  const text = readFileSync(join(workspaceRoot(), 'deploy', 'images', 'contents.json'), 'utf8');
  return (JSON.parse(text) as Readonly<Record<string, { readonly loads?: readonly string[] }>>)[app]?.loads ?? [];
}
