import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scenarioSet } from '@market-state/scenarios';
import type { Proof } from '../proof';
import { createRandom } from '../random';
import { agreement, awkwardLog } from './reference-program';
import { recordingLog, writeLabelled } from './labelled-files';

const RECORDINGS = ['btcusd_perp', 'ethusd_perp'];

/** Labels logs with the product and with its second implementation and compares every digest. */
export const referenceProof: Proof = {
  id: 'reference',
  claim:
    'the second labeler, written from the pages alone, gives every digest of the first: both recordings, eight ' +
    'synthetic hours, awkward logs',
  budget: { default: 20, counts: 'awkward logs' },
  async run({ seed, budget, say }) {
    const folder = mkdtempSync(join(tmpdir(), 'prove-reference-'));
    const failures: string[] = [];
    const figures: (readonly [name: string, figure: string])[] = [];
    const compare = async (name: string, events: Parameters<typeof writeLabelled>[1]) => {
      const files = await writeLabelled(folder, events);
      const { equal, summary } = await agreement(files);
      say(`${name}: ${summary}`);
      figures.push([name, summary]);
      if (!equal) failures.push(`${name}: ${summary}`);
    };
    try {
      for (const name of RECORDINGS) await compare(`recording ${name}`, recordingLog([`${name}_20240808.gz`, `${name}_20240809.gz`]));
      await compare(`scenario set, seed ${seed}`, [scenarioSet({ seed }).events]);
      const random = createRandom(seed);
      for (let log = 0; log < budget; log++) {
        const awkwardSeed = Math.floor(random() * 1e9);
        await compare(`awkward log ${awkwardSeed}`, await awkwardLog(awkwardSeed));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    return { failures, timing: [], figures };
  },
};
