import { scenarioSet } from '@market-state/scenarios';
import { openFolder } from '@market-state/testing';
import { needsPython, type Suite } from '../harness';
import { agreement, awkwardLog } from './reference-program';
import { recordingLog, writeLabelled } from './labelled-files';

const RECORDINGS = ['btcusd_perp', 'ethusd_perp'];

/** Labels logs with the product and with its second implementation and compares every digest. */
export const referenceSuite: Suite = {
  id: 'reference',
  claim:
    'the second labeler, written from the pages alone, gives every digest of the first: both recordings, eight ' +
    'synthetic hours, awkward logs',
  budget: { default: 20, counts: 'awkward logs' },
  short: { seed: 1, budget: 2 },
  needs: [needsPython('json')],
  async run({ closer, report, random, seed, budget, say }) {
    const folder = openFolder(closer);
    const compare = async (name: string, events: Parameters<typeof writeLabelled>[1]) => {
      const { equal, summary } = await agreement(await writeLabelled(folder, events));
      say(`${name}: ${summary}`);
      report.figure(name, summary);
      report.check(equal, `${name}: ${summary}`);
    };
    for (const name of RECORDINGS) await compare(`recording ${name}`, recordingLog([`${name}_20240808.gz`, `${name}_20240809.gz`]));
    await compare(`scenario set, seed ${seed}`, [scenarioSet({ seed }).events]);
    for (let log = 0; log < budget; log++) {
      const awkwardSeed = Math.floor(random() * 1e9);
      await compare(`awkward log ${awkwardSeed}`, await awkwardLog(awkwardSeed));
    }
  },
};
