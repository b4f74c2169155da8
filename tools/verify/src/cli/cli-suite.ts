import { keyOfNewTenant, openCommandLine, startSystem, openFolder } from '@market-state/testing';
import type { Suite, SuiteContext } from '../harness';
import { verifyEveryCommand } from './every-command';
import { verifyExitCodes } from './exit-codes';
import { verifyKilledGateway } from './killed-gateway';
import type { CliScene } from './scene';
import { verifyShells } from './shells';

const HISTORY_MINUTES = '30';

const PARTS: Readonly<Record<string, (context: SuiteContext, scene: CliScene) => Promise<void>>> = {
  formats: verifyEveryCommand,
  kills: verifyKilledGateway,
  shells: verifyShells,
  // Last, since it freezes the feed.
  codes: verifyExitCodes,
};

/** The program `market-state` as a client of the started product. */
export const cliSuite: Suite = {
  id: 'cli',
  claim:
    'every command that asks a service answers in every format, each exit code comes of what it stands for, a tail and a download have the ' +
    'same lines and bytes though the gateway is killed under them, no process shows the key, and shells complete commands and symbols',
  budget: { default: 3, counts: 'kills of the gateway under a tail, and under a download' },
  short: { seed: 1, budget: 1 },
  async run(context) {
    const { closer, only, report } = context;
    const system = await startSystem({ settings: { FEED_HISTORY_MINUTES: HISTORY_MINUTES } });
    closer.add('system', () => system.stop());
    const key = await keyOfNewTenant(system);
    const folder = openFolder(closer);
    const cli = openCommandLine(folder, { MARKET_STATE_URL: system.url, MARKET_STATE_API_KEY: key });
    const asked = only?.split(',') ?? Object.keys(PARTS);
    for (const part of asked) {
      const verify = PARTS[part];
      if (verify === undefined) report.fail(`There is no part ${part}; there are ${Object.keys(PARTS).join(', ')}.`);
      await verify?.(context, { system, key, cli, folder });
      context.say(`${part}: done`);
    }
  },
};
