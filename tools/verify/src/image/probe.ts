import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER_ID } from '@market-state/deploy';
import { workspaceRoot } from '@market-state/launcher';
import type { Report } from '../harness';
import { bubble, unpackedImage } from './bubble';
import { runCommand } from './command';
import { judgeContents } from './judge-contents';

const PROBE_MS = 60_000;

/** What `inside.cjs` says. */
interface Found {
  readonly uid: number;
  readonly gid: number;
  readonly capabilities: string;
  readonly shells: readonly string[];
  readonly writes: Readonly<Record<string, string>>;
  readonly loaded: Readonly<Record<string, boolean>>;
}

/** Looks at an image from inside: who its programs are, what they may write, and whether what they load works. */
export async function probe(report: Report, folder: string, app: string): Promise<void> {
  const image = unpackedImage(folder, app);
  const loads = loadsOf(app);
  const { command, args, env, uid, gid } = bubble(image, ['-e', readHere('tools/verify/src/image/inside.cjs'), JSON.stringify(loads)]);
  const found = JSON.parse(await runCommand(command, args, { env, uid, gid, timeoutMs: PROBE_MS })) as Found;
  const strange = Object.entries(found.writes).filter(([path, code]) => code !== (path.startsWith('/tmp/') ? 'written' : 'EROFS'));
  report.check(strange.length === 0, `${app}: what may be written is not /tmp alone: ${JSON.stringify(found.writes)}.`);
  report.check(found.uid === USER_ID && found.gid === USER_ID, `${app} runs as ${found.uid}:${found.gid}.`);
  report.check(/^0+$/.test(found.capabilities), `${app} has capabilities: ${found.capabilities}.`);
  report.check(found.shells.length === 0, `${app} has ${found.shells.join(', ')}.`);
  const broken = Object.entries(found.loaded).filter(([, works]) => !works);
  report.check(broken.length === 0, `${app} cannot use ${broken.map(([name]) => name).join(', ')}.`);
  report.fail(...judgeContents(app, image, loads));
}

/** What the programs of an app load beside what is in them. */
function loadsOf(app: string): readonly string[] {
  return (
    (JSON.parse(readHere('deploy/images/contents.json')) as Readonly<Record<string, { readonly loads?: readonly string[] }>>)[app]?.loads ??
    []
  );
}

function readHere(path: string): string {
  return readFileSync(join(workspaceRoot(), path), 'utf8');
}
