import { keyOfNewTenant, openCommandLine, startSystem } from '@market-state/testing';
import { openFolder, type Proof, type ProofContext } from '../harness';
import { proveEveryCommand } from './every-command';
import { proveExitCodes } from './exit-codes';
import { proveKilledGateway } from './killed-gateway';
import type { CliScene } from './scene';
import { proveShells } from './shells';

const HISTORY_MINUTES = '30';

const PARTS: Readonly<Record<string, (context: ProofContext, scene: CliScene) => Promise<void>>> = {
  formats: proveEveryCommand,
  kills: proveKilledGateway,
  shells: proveShells,
  // Last, since it freezes the feed.
  codes: proveExitCodes,
};

/** The program `market-state` as a client of the started product. */
export const cliProof: Proof = {
  id: 'cli',
  claim:
    'every command that asks a service answers in every format, each exit code comes of what it stands for, a tail and a download have the ' +
    'same lines and bytes though the gateway is killed under them, no process shows the key, and shells complete commands and symbols',
  budget: { default: 3, counts: 'kills of the gateway under a tail, and under a download' },
  async run(context) {
    const { closer, only, report } = context;
    const system = await startSystem({ settings: { FEED_HISTORY_MINUTES: HISTORY_MINUTES } });
    closer.add('system', () => system.stop());
    const key = await keyOfNewTenant(system);
    const folder = openFolder(closer);
    const cli = openCommandLine(folder, { MARKET_STATE_URL: system.url, MARKET_STATE_API_KEY: key });
    const asked = only?.split(',') ?? Object.keys(PARTS);
    for (const part of asked) {
      const prove = PARTS[part];
      if (prove === undefined) report.fail(`There is no part ${part}; there are ${Object.keys(PARTS).join(', ')}.`);
      await prove?.(context, { system, key, cli, folder });
      context.say(`${part}: done`);
    }
  },
};
