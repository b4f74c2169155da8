import { archiveSuite } from '../src';
import { expectPassed } from './expect-passed';

it('leaves every row once, and the files of an unkilled run, after the recorder was killed at random moments', async () => {
  await expectPassed(archiveSuite, { seed: 20_260_106, budget: 4 });
});
