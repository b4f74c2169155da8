import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot, startSystem, type System } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { type RunningSystem, runningSystem } from '../system/default-system';
import { plainSteps, readOperations, unreadyExample, unreadyStep } from './document';
import { type Example, fileNameOf, writeExample } from './example-file';
import { openScene } from './scene';
import type { Step } from './step';
import { steps } from './steps/all-steps';
import { startOidcProvider } from '@market-state/testing';
import { billingEventSteps, OIDC_REDIRECT, oidcSettings, oidcSteps, STRIPE_SETTINGS } from './steps/account-steps';
import { takeStep } from './take-step';

const READY_MS = 900_000;
/** Webhook receivers of this machine, on any port. */
const LOCAL_RECEIVERS = { WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8' };

interface RecordOptions {
  readonly folder: string;
  /** Operations whose examples are written; default: all. Every call is made regardless. */
  readonly only?: readonly string[] | undefined;
  /** Data folder of a running system; starts one if not set. */
  readonly dataDir?: string | undefined;
  readonly say: (line: string) => void;
}

async function recordExamples({ folder, only, dataDir, say }: RecordOptions): Promise<void> {
  const operations = readOperations();
  const provider = await startOidcProvider({ redirectUris: [OIDC_REDIRECT] });
  const ofSecond = [...billingEventSteps, ...oidcSteps(provider)];
  const all = [...steps, ...plainSteps(operations, [unreadyStep, ...steps, ...ofSecond])];
  const write = (step: Step, example: Example): void => {
    if (only?.includes(step.operation) === false) return;
    say(`${fileNameOf(step)}: ${writeExample(folder, step, example).length} characters`);
  };

  async function record(system: RunningSystem, some: readonly Step[]): Promise<void> {
    const scene = await openScene(system);
    try {
      for (const step of some) {
        const operation = operations.get(step.operation);
        if (operation === undefined) throw new Error(`The document has no operation ${step.operation}.`);
        write(step, await takeStep(scene, step, operation));
      }
    } finally {
      await scene.close();
    }
  }

  if (dataDir === undefined) await withSystem(LOCAL_RECEIVERS, async (system) => record(await whenReady(system), all));
  else await record(runningSystem(dataDir), all);
  await withSystem({ FEED: 'simulated', ...STRIPE_SETTINGS, ...oidcSettings(provider) }, async (system) => {
    write(unreadyStep, await unreadyExample(system));
    await record(await whenReady(system), ofSecond);
  });
  await provider.close();
}

async function whenReady(system: System): Promise<System> {
  await system.ready(timeLimit(READY_MS));
  return system;
}

async function withSystem(settings: NodeJS.ProcessEnv, work: (system: System) => Promise<void>): Promise<void> {
  const system = await startSystem({ settings });
  try {
    await work(system);
  } finally {
    await system.stop();
  }
}

/**
 * Calls every operation of a new system and rewrites the examples of the OpenAPI document: `node --import
 * @oxc-node/core/register tools/e2e/src/examples/write-examples.ts [--only getLatest,listGaps] [--data-dir .data]`
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
