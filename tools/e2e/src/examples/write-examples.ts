import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '@market-state/launcher';
import { recordExamples } from './record-examples';

/**
 * Asks every operation of a system of its own and writes the examples of the OpenAPI document anew:
 * `node --import @oxc-node/core/register tools/e2e/src/examples/write-examples.ts [--only getLatest,listGaps] [--data-dir .data]`
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, 'data-dir': { type: 'string' } } });
  await recordExamples({
    folder: join(workspaceRoot(), 'apps', 'gateway', 'openapi', 'examples', 'answers'),
    dataDir: values['data-dir'],
    only: values.only?.split(','),
    say: (line) => process.stdout.write(`${line}\n`),
  });
}

main().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
