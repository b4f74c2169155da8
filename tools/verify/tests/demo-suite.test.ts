import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoLoop } from '@market-state/scenarios';
import { clockText, demoSuite } from '../src';
import { expectPassed } from './expect-passed';

const README = join(__dirname, '../../../apps/simulated-venue/README.md');
/** The venue's own seed unless another is set, and one round of its demonstration. */
const SHORT_FORM = { seed: 1, budget: 20 };
const isReadmesRound = process.env['PROOF_SEED'] === undefined;

it('in one round of the simulated market every state, event class and severity occurs, when its README says so', async () => {
  const { figures } = await expectPassed(demoSuite, SHORT_FORM);
  expect(new Map(figures).get('packets')).toBe(119);
  const readme = readFileSync(README, 'utf8');
  const episodes = demoLoop.map(({ fromMs, name, description }) => `| ${clockText(fromMs)} | ${name} | ${description} |`);
  expect(readme).toContain(episodes.join('\n'));
  const words = figures.slice(1).map(([word, when]) => `| \`${word}\` | ${when} |`);
  if (isReadmesRound) expect(readme).toContain(words.join('\n'));
});
