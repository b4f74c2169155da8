import { archiveProof } from '../src';
import { expectProved } from './expect-proved';

it('leaves every row once, and the files of an unkilled run, after the recorder was killed at random moments', async () => {
  await expectProved(archiveProof, { seed: 20_260_106, budget: 4 });
});
