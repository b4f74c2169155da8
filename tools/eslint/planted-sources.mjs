/**
 * Proves that the rules bite: lints made-up files with forbidden imports and sources, in memory and with the workspace's
 * own configuration, and ends with code 1 when one is let through or an allowed one is refused.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const boundaries = '@nx/enforce-module-boundaries';

/** [file, what it imports, the rule that must refuse it; undefined when it is allowed] */
const cases = [
  ['libs/domain/labeler/src/planted.ts', '@market-state/grpc', boundaries],
  ['libs/domain/labeler/src/planted.ts', '@market-state/contracts', boundaries],
  ['libs/domain/labeler/src/planted.ts', 'node:fs', 'no-restricted-imports'],
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
  ['libs/client/src/planted.ts', 'node:fs', 'no-restricted-imports'],
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
  ['apps/gateway/src/planted.ts', 'ioredis', 'no-restricted-imports'],
  ['libs/platform/redis/src/planted.ts', 'ioredis', undefined],
];

/** [source in the domain, the rule that must refuse it; undefined when it is allowed] */
const domainSources = [
  ['export const now = Date.now();', 'no-restricted-properties'],
  ['export const now = new Date();', 'no-restricted-syntax'],
  ['export const day = new Date(0);', undefined],
  ['export const now = performance.now();', 'no-restricted-globals'],
  ['export const luck = Math.random();', 'no-restricted-properties'],
  ["import { randomUUID } from 'node:crypto';\n\nexport const id = randomUUID();", 'no-restricted-imports'],
  ["import { createHash } from 'node:crypto';\n\nexport const hash = createHash('sha256');", undefined],
  ...['node:fs/promises', 'node:net', 'pg', 'ioredis', 'express'].map((name) => [
    `import * as planted from '${name}';\n\nexport const kept = planted;`,
    'no-restricted-imports',
  ]),
  ["import { z } from 'zod';\n\nexport const schema = z.string();", undefined],
];

/** [source in the portal, the rule that must refuse it; undefined when it is allowed] */
const portalSources = [
  ["export const answer = fetch('/livez');", 'no-restricted-globals'],
  ["export const answer = window.fetch('/livez');", 'no-restricted-properties'],
  ["export const stream = new EventSource('/stream');", 'no-restricted-globals'],
  ['export const Text = () => <p dangerouslySetInnerHTML={{ __html: "" }} />;', 'no-restricted-syntax'],
  ['export const Text = () => <p>text</p>;', undefined],
  ["import { utc } from '@market-state/packet-figures';\n\nexport const when = utc(0);", 'no-restricted-syntax'],
  ["import { words } from '@market-state/packet-figures';\n\nexport const said = words('a_b');", undefined],
  ['export const when = new Date(0).toLocaleTimeString();', 'no-restricted-syntax'],
  ['export const hour = new Date(0).getHours();', 'no-restricted-syntax'],
  ['export const when = new Date(0).toISOString().slice(11);', 'no-restricted-syntax'],
  ['export const sent = new Date(0).toISOString();', undefined],
  ['export const when = (row: { at_utc: string }) => row.at_utc.slice(11, 19);', 'no-restricted-syntax'],
  ['export const When = (row: { at_utc: string }) => <b>{row.at_utc}</b>;', 'no-restricted-syntax'],
  ['export const When = (urlTime: (ms: number) => string) => <b>{urlTime(0)}</b>;', 'no-restricted-syntax'],
  ['export const Head = () => <th>Served, UTC</th>;', 'no-restricted-syntax'],
  ["export const head = 'Served, UTC';", 'no-restricted-syntax'],
  ['export const said = (when: string) => `until ${when} UTC`;', 'no-restricted-syntax'],
  ['export const Head = () => <th>Day, UTC</th>;', undefined],
];

/** [source, the rule that must refuse it], of any file. */
const shapes = [
  [`// ${'long '.repeat(30)}`, 'max-len'],
  [`export const text = '${'long '.repeat(30)}';`, undefined],
  ['export {};\n'.repeat(301), 'max-lines'],
];

const eslint = new ESLint({ cwd: root, overrideConfigFile: join(root, 'tools', 'eslint', 'eslint.config.mjs') });
const judged = [
  ...cases.map(([file, imported, rule]) => ({
    file,
    source: `import * as planted from '${imported}';\n\nexport const kept = planted;\n`,
    rule,
  })),
  ...domainSources.map(([source, rule]) => ({ file: 'libs/domain/labeler/src/planted.ts', source: `${source}\n`, rule })),
  ...portalSources.map(([source, rule]) => ({ file: 'apps/portal/src/planted.tsx', source: `${source}\n`, rule })),
  ...shapes.map(([source, rule]) => ({ file: 'libs/platform/lifecycle/src/planted.ts', source: `${source}\n`, rule })),
];
let wrong = 0;
for (const { file, source, rule } of judged) {
  const [{ messages }] = await eslint.lintText(source, { filePath: join(root, file) });
  const refusedBy = messages.map(({ ruleId }) => ruleId);
  const right = rule === undefined ? refusedBy.length === 0 : refusedBy.includes(rule);
  if (right) continue;
  wrong += 1;
  const wish = rule === undefined ? 'is allowed' : `is for ${rule} to refuse`;
  process.stdout.write(`${file}: this ${wish}; said: ${messages.map(({ message }) => message).join(' ') || 'nothing'}\n${source}\n`);
}
process.stdout.write(`${judged.length - wrong} of ${judged.length} planted sources judged as they should be\n`);
process.exitCode = wrong === 0 ? 0 : 1;
