import { faultsOf, stagesOf } from './parts';
import type { Readiness } from '../../service/use-readiness';
import type { Health } from './use-status';

const component = (name: string, healthy: boolean, detail: string | null = null) => ({
  component: name,
  kind: 'service',
  healthy,
  latency_ms: 3,
  detail,
});
const health = (...components: ReturnType<typeof component>[]) => ({ components }) as unknown as Health;

test('a failing part in any stage is listed among the faults with its own detail', () => {
  const readiness = { dependencies: [{ name: 'packets', ready: false, detail: 'ETHUSD-PERP has none.' }] } as unknown as Readiness;
  const faults = faultsOf(stagesOf(health(component('feed', true), component('recorder', false, 'The disk is full.')), readiness));
  expect(faults.map(({ name, detail }) => [name, detail])).toEqual([
    ['Recorder', 'The disk is full.'],
    ['Packets are fresh', 'ETHUSD-PERP has none.'],
  ]);
});

test('markets are grouped, and unknown parts are still shown', () => {
  const stages = stagesOf(health(component('feed:BTCUSD-PERP', true), component('time_machine', false)), undefined);
  expect(stages[0]?.parts.map(({ name }) => name)).toEqual(['BTCUSD-PERP']);
  expect(faultsOf(stages).map(({ name }) => name)).toEqual(['time machine']);
});

test('a part that nothing was said of is unknown, not working', () => {
  expect(stagesOf(undefined, undefined)[1]?.parts.map(({ works }) => works)).toEqual([null, null]);
});
