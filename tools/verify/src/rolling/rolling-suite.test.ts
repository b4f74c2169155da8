import { definitions } from '@market-state/launcher';
import type { Place } from './release-processes';
import { inRollingOrder } from './rolling-suite';

const placesOf = (names: readonly string[]): Place[] =>
  names.flatMap((name) =>
    definitions
      .filter((definition) => definition.name === name)
      .flatMap((definition) => ['', '-2'].map((end) => ({ name: `${name}${end}`, definition, host: '', ports: { ops: 0 }, settings: {} }))),
  );

test('services are replaced from the market to the edge, the second of two processes first', () => {
  const all = placesOf(['gateway', 'webhook-worker', 'webhook', 'account', 'labeling', 'data-plane', 'data-plane-feed']);
  expect(inRollingOrder({ all }).map(({ name }) => name)).toEqual(
    ['data-plane-feed', 'data-plane', 'labeling', 'account', 'webhook', 'webhook-worker', 'gateway'].flatMap((name) => [`${name}-2`, name]),
  );
});

test('every process is in the order', () => {
  const all = placesOf(definitions.map(({ name }) => name));
  expect(inRollingOrder({ all })).toHaveLength(all.length);
});
