import { runAttacks } from '../src/attacks/run-attacks';
import { SHORT_SIZES } from '../src/attacks/sizes';
import { callBeyondLimits } from '../src/edge/limit-calls';
import { postEqually } from '../src/edge/equal-posts';
import { type Market, startMarket } from '../src/edge/market';
import { callMetered } from '../src/edge/metered-calls';
import { revokeKeys } from '../src/edge/revoke-keys';
import { createRandom } from '../src/random';

jest.setTimeout(600_000);

const seed = Number(process.env['EDGE_SEED'] ?? 20_271_122);
let market: Market;

beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());

it('shuts a key that is revoked under load within a second at each gateway, for good', async () => {
  const { failures, timing } = await revokeKeys(market, { revocations: 6, random: createRandom(seed) });
  expect({ failures, timing }).toEqual({ failures: [], timing: [] });
});

it('charges each answered call once while gateways and account die and connections break', async () => {
  const said: string[] = [`EDGE_SEED=${seed}`];
  const { failures } = await callMetered(market, {
    calls: 800,
    kills: 3,
    untilReleased: false,
    random: createRandom(seed),
    say: (line) => said.push(line),
  });
  expect(failures.length === 0 ? [] : [...said, ...failures]).toEqual([]);
});

it('makes one key and one order of many equal calls each, sent to two gateways at once', async () => {
  const { failures, figures } = await postEqually(market, { posts: 40, random: createRandom(seed) });
  expect(failures).toEqual([]);
  expect(figures).toHaveLength(4);
});

it('lets in over three gateways what a plan allows and no more', async () => {
  // What gateways take ahead of the burst and do not use weighs ten times as much as in the long form.
  const { failures } = await callBeyondLimits(market, { plans: ['public_pro'], seconds: 8, shareMin: 0.9, random: createRandom(seed) });
  expect(failures).toEqual([]);
});

it('serves others through every attack, and charges them exactly', async () => {
  const said: string[] = [`EDGE_SEED=${seed}`];
  const { failures, timing } = await runAttacks(market, {
    sizes: SHORT_SIZES,
    triesMax: 3,
    seed,
    random: createRandom(seed),
    say: (line) => said.push(line),
  });
  expect(failures.length + timing.length === 0 ? [] : [...said, ...failures, ...timing]).toEqual([]);
});
