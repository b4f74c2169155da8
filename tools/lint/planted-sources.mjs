/**
 * Proves that the rules bite: lints made-up files with forbidden imports and sources, in a folder that is to the rules what the workspace
 * is, and ends with code 1 when one is let through or an allowed one is refused.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const boundaries = '@nx/enforce-module-boundaries';

/** [file, what it imports, the rule that must refuse it; undefined when it is allowed] */
const cases = [
  ['libs/domain/labeler/src/planted.ts', '@market-state/grpc', boundaries],
  ['libs/domain/labeler/src/planted.ts', '@market-state/contracts', boundaries],
  ['libs/domain/labeler/src/planted.ts', 'node:fs', 'core/no-restricted-imports'],
  ['libs/domain/labeler/src/planted.ts', '@market-state/market-data', undefined],
  ['libs/platform/grpc/src/planted.ts', '@market-state/market-data', boundaries],
  ['libs/platform/grpc/src/planted.ts', '@market-state/contracts', boundaries],
  ['libs/platform/config/src/planted.ts', '../../../../services.json', undefined],
  ['libs/platform/config/src/planted.ts', '../../../../nx.json', boundaries],
  ['libs/contracts/src/planted.ts', '@market-state/errors', boundaries],
  ['libs/live-market/src/planted.ts', '@market-state/contracts', undefined],
  ['libs/live-market/src/planted.ts', '@market-state/grpc', boundaries],
  ['libs/domain/labeler/src/planted.ts', '@market-state/live-market', boundaries],
  ['libs/client/src/planted.ts', '@market-state/pricing', boundaries],
  ['libs/client/src/planted.ts', 'node:fs', 'core/no-restricted-imports'],
  ['libs/client/src/files/node.ts', 'node:fs', undefined],
  ['apps/cli/src/planted.ts', '@market-state/client', undefined],
  ['apps/portal/src/planted.tsx', '@market-state/client', undefined],
  ['apps/portal/src/planted.ts', '@market-state/packet-figures', undefined],
  ['apps/portal/src/planted.ts', '@market-state/grpc', boundaries],
  ['apps/portal/src/planted.ts', '@market-state/contracts', boundaries],
  ['libs/domain/labeler/src/planted.ts', '@market-state/client', boundaries],
  ['apps/gateway/src/planted.ts', '@market-state/account', boundaries],
  ['apps/gateway/src/planted.ts', '../../account/src/index', boundaries],
  ['apps/gateway/src/planted.ts', '../../../libs/platform/errors/src/index', boundaries],
  ['apps/gateway/src/planted.ts', '@market-state/testing', boundaries],
  ['apps/gateway/src/planted.ts', '@market-state/launcher', boundaries],
  ['apps/gateway/src/planted.ts', '@market-state/errors', undefined],
  ['apps/gateway/src/planted.test.ts', '@market-state/testing', undefined],
  ['apps/gateway/tests/planted.test.ts', '@market-state/testing', undefined],
  ['apps/gateway/tests/planted.test.ts', '@market-state/account', boundaries],
  ['apps/gateway/src/planted.ts', 'ioredis', 'core/no-restricted-imports'],
  ['libs/platform/redis/src/planted.ts', 'ioredis', undefined],
];

/** [source in the domain, the rule that must refuse it; undefined when it is allowed] */
const domainSources = [
  ['export const now = Date.now();', 'no-restricted-properties'],
  ['export const now = new Date();', 'core/no-restricted-syntax'],
  ['export const day = new Date(0);', undefined],
  ['export const now = performance.now();', 'no-restricted-globals'],
  ['export const luck = Math.random();', 'no-restricted-properties'],
  ["import { randomUUID } from 'node:crypto';\n\nexport const id = randomUUID();", 'core/no-restricted-imports'],
  ["import { createHash } from 'node:crypto';\n\nexport const hash = createHash('sha256');", undefined],
  ...['node:fs/promises', 'node:net', 'pg', 'ioredis', 'express'].map((name) => [
    `import * as planted from '${name}';\n\nexport const kept = planted;`,
    'core/no-restricted-imports',
  ]),
  ["import { z } from 'zod';\n\nexport const schema = z.string();", undefined],
];

/** [source in the portal, the rule that must refuse it; undefined when it is allowed] */
const portalSources = [
  ["export const answer = fetch('/livez');", 'no-restricted-globals'],
  ["export const answer = window.fetch('/livez');", 'no-restricted-properties'],
  ["export const stream = new EventSource('/stream');", 'no-restricted-globals'],
  ['export const Text = () => <p dangerouslySetInnerHTML={{ __html: "" }} />;', 'core/no-restricted-syntax'],
  ['export const Text = () => <p>text</p>;', undefined],
  ["import { utc } from '@market-state/packet-figures';\n\nexport const when = utc(0);", 'core/no-restricted-syntax'],
  ["import { words } from '@market-state/packet-figures';\n\nexport const said = words('a_b');", undefined],
  ['export const when = new Date(0).toLocaleTimeString();', 'core/no-restricted-syntax'],
  ['export const hour = new Date(0).getHours();', 'core/no-restricted-syntax'],
  ['export const when = new Date(0).toISOString().slice(11);', 'core/no-restricted-syntax'],
  ['export const sent = new Date(0).toISOString();', undefined],
  ['export const when = (row: { at_utc: string }) => row.at_utc.slice(11, 19);', 'core/no-restricted-syntax'],
  ['export const When = (row: { at_utc: string }) => <b>{row.at_utc}</b>;', 'core/no-restricted-syntax'],
  ['export const When = (urlTime: (ms: number) => string) => <b>{urlTime(0)}</b>;', 'core/no-restricted-syntax'],
  ['export const Head = () => <th>Served, UTC</th>;', 'core/no-restricted-syntax'],
  ["export const head = 'Served, UTC';", 'core/no-restricted-syntax'],
  ['export const said = (when: string) => `until ${when} UTC`;', 'core/no-restricted-syntax'],
  ['export const Head = () => <th>Day, UTC</th>;', undefined],
];

/** [file, source, the rule that must refuse it; undefined when it is allowed], where a folder or a file has rules of its own */
const folderSources = [
  ['apps/cli/src/planted.ts', "export const answer = fetch('/livez');", 'no-restricted-globals'],
  ['apps/cli/src/listen/post-event.ts', "export const answer = fetch('/livez');", undefined],
  ['apps/gateway/src/planted.ts', 'export const limit = AbortSignal.timeout(1_000);', 'no-restricted-properties'],
  ['libs/platform/lifecycle/src/time-limit.ts', 'export const limit = AbortSignal.timeout(1_000);', undefined],
  ['libs/client/src/planted.ts', 'export const variables = process.env;', 'no-restricted-globals'],
  ['libs/domain/labeler/src/planted.ts', "export const bytes = Buffer.from('');", 'no-restricted-globals'],
  ['libs/domain/labeler/src/hash/node.ts', "export const bytes = Buffer.from('');", undefined],
  ['libs/domain/labeler/src/planted.test.ts', "export const now = [Date.now(), Math.random(), Buffer.from('')];", undefined],
  ['libs/domain/pricing/src/planted.ts', "export const bytes = Buffer.from('');", undefined],
  ['apps/portal/src/time/planted.ts', 'export const hour = new Date(0).getHours();', undefined],
  [
    'apps/portal/src/time/planted.tsx',
    'export const Text = () => <p dangerouslySetInnerHTML={{ __html: "" }} />;',
    'core/no-restricted-syntax',
  ],
];

/** [statement beside `work`, which promises a number; whether nobody waits for it] */
const promises = [
  ['work();', true],
  ['work().then((one) => one + 1);', true],
  ['[1, 2].map(() => work());', true],
  ['await work();', false],
  ['work().then(String, String);', false],
  ['void work();', false],
].map(([statement, isLost]) => [
  `const work = async (): Promise<number> => 1;\n${statement}\nexport {};`,
  isLost ? 'typescript/no-floating-promises' : undefined,
]);

/** [source, the rule that must refuse it], of any file. */
const shapes = [
  [`// ${'long '.repeat(30)}`, 'core/max-len'],
  [`export const text = '${'long '.repeat(30)}';`, undefined],
  ['export {};\n'.repeat(301), 'max-lines'],
  ['export const same = (one: number) => one == 1;', 'eqeqeq'],
  ['export const same = (one: any) => one;', 'typescript/no-explicit-any'],
  ['export const first = (all: string[]) => all[0]!;', 'typescript/no-non-null-assertion'],
  ["import { Closer } from './closer';\n\nexport type Kept = Closer;", 'typescript/consistent-type-imports'],
  ['const unused = 1;\nexport {};', 'no-unused-vars'],
  ['export const first = (one: number, _other: number) => one;', undefined],
];

/** Each in a file of its own, whose name has the same place and the same ending. */
const judged = [
  ...cases.map(([file, imported, rule]) => ({
    file,
    source: `import * as planted from '${imported}';\n\nexport const kept = planted;\n`,
    rule,
  })),
  ...domainSources.map(([source, rule]) => ({ file: 'libs/domain/labeler/src/planted.ts', source: `${source}\n`, rule })),
  ...portalSources.map(([source, rule]) => ({ file: 'apps/portal/src/planted.tsx', source: `${source}\n`, rule })),
  ...folderSources.map(([file, source, rule]) => ({ file, source: `${source}\n`, rule })),
  ...[...shapes, ...promises].map(([source, rule]) => ({ file: 'libs/platform/lifecycle/src/planted.ts', source: `${source}\n`, rule })),
].map(({ file, ...of }, at) => ({ ...of, file: file.replace('planted', `planted-${at}`) }));

const faults = lint(judged);
let wrong = 0;
for (const { file, source, rule } of judged) {
  const said = faults.filter(({ filename }) => filename === file);
  const right = rule === undefined ? said.length === 0 : said.some(({ code }) => code === codeOf(rule));
  if (right) continue;
  wrong += 1;
  const wish = rule === undefined ? 'is allowed' : `is for ${rule} to refuse`;
  process.stdout.write(`${file}: this ${wish}; said: ${said.map(({ message }) => message).join(' ') || 'nothing'}\n${source}\n`);
}
process.stdout.write(`${judged.length - wrong} of ${judged.length} planted sources judged as they should be\n`);
process.exitCode = wrong === 0 ? 0 : 1;

/** What lint finds in sources that stand in a folder beside the workspace, with its settings and its graph of projects. */
function lint(sources) {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-planted-'));
  try {
    for (const name of ['nx.json', 'package.json', 'tsconfig.base.json', 'oxlint.config.mjs', 'tools/lint', '.nx/workspace-data'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    cpSync(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const { file, source } of sources) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), source);
    }
    const args = ['-c', 'oxlint.config.mjs', '--type-aware', '--format', 'json', ...sources.map(({ file }) => file)];
    const { stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', 'oxlint'), args, { cwd: folder, encoding: 'utf8' });
    if (!stdout.startsWith('{')) throw new Error(`Lint of planted sources failed: ${stdout}${stderr}`);
    return JSON.parse(stdout).diagnostics;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The name by which oxlint says that a rule has refused: `plugin(rule)`. */
function codeOf(rule) {
  const parts = rule.split('/');
  return `${parts.length === 1 ? 'eslint' : parts[0]}(${parts.at(-1)})`;
}
