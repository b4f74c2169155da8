import { fairnessProof } from '../src/fairness/fairness-proof';
import { expectProved } from './expect-proved';

it('delivers to healthy endpoints beside a backlog, endpoints that fail and endpoints that hang', async () => {
  const { figures } = await expectProved(fairnessProof, { seed: 1, budget: 60 });
  console.info(figures.map((figure) => figure.join(': ')).join('\n'));
});
