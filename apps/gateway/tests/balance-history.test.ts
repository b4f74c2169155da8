import { type BootedGateway, bootGateway } from './stand-in/boot';

const MARKET = '/api/public/market-state';
const BALANCE = `${MARKET}/usage/balance`;

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway();
});
afterAll(() => booted.close());

test('balances of the past end with the balance of now, cost nothing, and name what is wrong with a span', async () => {
  booted.account.credits.grant('ten_1', 100);
  await booted.keyed(`${MARKET}/latest?symbol=BTCUSD-PERP`);
  const answer = await booted.keyed(`${BALANCE}?step=hour`);
  const { rows, opening, step } = answer.json<{ rows: Record<string, unknown>[]; opening: unknown[]; step: string }>();
  const { balances } = (await booted.keyed(`${MARKET}/usage`)).json<{ balances: Record<string, unknown>[] }>();
  expect([answer.status, answer.headers['x-credits-charged'], step, opening.length]).toEqual([200, '0', 'hour', 2]);
  expect(
    rows.map(({ credit_kind, available, held, leased_to_gateways }) => ({ credit_kind, available, held, leased_to_gateways })),
  ).toEqual(balances.map(({ credit_kind, available, held, leased_to_gateways }) => ({ credit_kind, available, held, leased_to_gateways })));
  expect(rows[0]).toMatchObject({ granted: 100, charged: 1, expired: 0, returned: 0, closed: false });
  const bad = await booted.keyed(`${BALANCE}?step=week&from=yesterday`);
  expect([
    bad.status,
    bad
      .json<{ detail: { loc: string[] }[] }>()
      .detail.map(({ loc }) => loc[1])
      .sort(),
  ]).toEqual([422, ['from', 'step']]);
});
