/**
 * Proves that the module boundaries bite: lints made-up files with forbidden imports, in memory and with the workspace's
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
  ['libs/contracts/src/planted.ts', '@market-state/errors', boundaries],
  ['apps/gateway/src/planted.ts', '@market-state/account', boundaries],
  ['apps/gateway/src/planted.ts', '../../account/src/index', boundaries],
  ['apps/gateway/src/planted.ts', '../../../libs/platform/errors/src/index', boundaries],
  ['apps/gateway/src/planted.ts', '@market-state/testing', boundaries],
  ['apps/gateway/src/planted.ts', '@market-state/launcher', boundaries],
  ['apps/gateway/src/planted.ts', '@market-state/errors', undefined],
  ['apps/gateway/src/planted.test.ts', '@market-state/testing', undefined],
  ['apps/gateway/tests/planted.test.ts', '@market-state/testing', undefined],
  ['apps/gateway/tests/planted.test.ts', '@market-state/account', boundaries],
];

const eslint = new ESLint({ cwd: root, overrideConfigFile: join(root, 'tools', 'eslint', 'eslint.config.mjs') });
let wrong = 0;
for (const [file, imported, rule] of cases) {
  const source = `import * as planted from '${imported}';\n\nexport const kept = planted;\n`;
  const [{ messages }] = await eslint.lintText(source, { filePath: join(root, file) });
  const refusedBy = messages.map(({ ruleId }) => ruleId);
  const right = rule === undefined ? refusedBy.length === 0 : refusedBy.includes(rule);
  if (right) continue;
  wrong += 1;
  const wish = rule === undefined ? 'is allowed' : `is for ${rule} to refuse`;
  process.stdout.write(`${file}: importing ${imported} ${wish}; said: ${messages.map(({ message }) => message).join(' ') || 'nothing'}\n`);
}
process.stdout.write(`${cases.length - wrong} of ${cases.length} planted imports judged as they should be\n`);
process.exitCode = wrong === 0 ? 0 : 1;
