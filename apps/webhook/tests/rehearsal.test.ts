import { type labeling, webhook } from '@market-state/contracts';
import { createInputDays, dropPastInputDays, inputOf, insertInputs } from '../src/store/inputs';
import { packetsOf, windowEndMs } from './evaluator-under-test';
import { startWatchUnderTest, TENANT, type WatchUnderTest } from './watch-under-test';

const DAY_MS = 86_400_000;
const SYMBOL = 'BTCUSD-PERP';
const RULE = { kind: 'state_is', params: { states: ['depth_watch'] }, cooldownSeconds: 0, minConsecutive: 1 };

let test: WatchUnderTest;
let nowMs: number;
beforeEach(async () => {
  nowMs = windowEndMs(0) + 40 * DAY_MS;
  test = await startWatchUnderTest(() => nowMs);
});
afterEach(() => test?.close());

/** Rehearses one rule on the windows of these packets. */
function rehearse(first: number, last: number): Promise<webhook.RehearseResponse> {
  const span = { fromMs: windowEndMs(first), toMs: windowEndMs(last) + 1 };
  return test.watchlists.rehearse({ tenantId: TENANT, watchlistId: '', symbols: [SYMBOL], rules: [RULE], ...span });
}

/** Stores packets as an evaluator does. */
async function store(packets: readonly labeling.PacketRecord[]): Promise<void> {
  await createInputDays(test.pool, () => nowMs).ensure(packets.map((packet) => packet.windowEndMs));
  await insertInputs(test.pool, packets.map(inputOf));
}

it('asks labeling once for packets of a span that is older than what is stored', async () => {
  test.packets = packetsOf(SYMBOL, 'FTFTTFFFFT');
  const first = await rehearse(1, 10);
  expect(first).toMatchObject({ packets: 10, rules: [{ triggered: 3, recovered: 2 }] });
  const { requested } = test;
  expect(await rehearse(1, 10)).toEqual(first);
  expect(test.requested).toBe(requested);
});

it('looks at every packet of a span of which two parts are stored', async () => {
  test.packets = packetsOf(SYMBOL, 'FTFTTFFFFT');
  await store(test.packets.slice(1, 3));
  await store(test.packets.slice(7));
  expect(await rehearse(1, 10)).toMatchObject({ packets: 10, rules: [{ triggered: 3, recovered: 2 }] });
});

it('asks again for packets of a day that was dropped', async () => {
  test.packets = packetsOf(SYMBOL, 'FTF');
  const first = await rehearse(1, 3);
  nowMs += 2 * DAY_MS;
  await dropPastInputDays(test.pool, nowMs);
  expect((await test.pool.query('SELECT FROM rule_input')).rowCount).toBe(0);
  expect(await rehearse(1, 3)).toEqual(first);
  expect((await test.pool.query('SELECT FROM rule_input')).rowCount).toBe(3);
});

it('refuses a span from before the oldest packet with its time, or in the future, and finds nothing in a pause', async () => {
  const packets = packetsOf(SYMBOL, 'FTFTTFFFFT');
  test.packets = [...packets.slice(3, 5), ...packets.slice(8)];
  await expect(rehearse(1, 3)).rejects.toMatchObject({
    reason: 'beyond_retention',
    metadata: { oldest_ms: String(packets[3]?.windowEndMs) },
  });
  await expect(rehearse(400_000, 400_001)).rejects.toMatchObject({ faults: [{ field: 'from_ms', type: 'in_the_future' }] });
  expect(await rehearse(6, 8)).toMatchObject({ packets: 0, deliveries: 0, rules: [{ triggered: 0, state: webhook.AlertState.UNKNOWN }] });
});
