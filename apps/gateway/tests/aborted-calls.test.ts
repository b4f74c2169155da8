import { request } from 'node:http';
import { type BootedGateway, bootGateway } from './stand-in/boot';

const TRADES = '/api/public/data/trades/latest?symbol=BTCUSD-PERP&limit=1000';
const TENANT = 'ten_1';

describe('a metered call whose caller has gone before its answer', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
    booted.account.credits.grant(TENANT, 100);
  });
  afterEach(() => booted.close());

  const credits = () => booted.account.credits;

  /** Sends a call and cuts its connection once its credits are reserved and its work is running. */
  async function abort(): Promise<void> {
    const sent = request(booted.gateway.url + TRADES, {
      headers: { 'x-market-state-api-key': booted.key, 'x-request-id': 'aborted' },
      agent: false,
    });
    sent.on('error', () => undefined);
    sent.end();
    await booted.until(() => booted.dataPlane.waitingTotal() === 1);
    sent.destroy();
    await booted.until(() => booted.dataPlane.waitingTotal() === 0);
  }

  it('costs nothing and leaves no receipt, and the credits that it held are free again', async () => {
    booted.dataPlane.setHanging(true);
    await abort();
    booted.dataPlane.setHanging(false);
    const answered = await booted.keyed(TRADES);
    expect([answered.status, answered.headers['x-credits-charged'], answered.headers['x-credits-remaining']]).toEqual([200, '1', '99']);
    await booted.until(() => credits().receipts(TENANT).length === 1);
    expect(
      credits()
        .receipts(TENANT)
        .map(({ requestId }) => requestId),
    ).not.toContain('aborted');
    expect(credits().spent(TENANT)).toBe(1);
  });

  it('costs nothing, however often', async () => {
    booted.dataPlane.setHanging(true);
    for (let call = 0; call < 30; call += 1) await abort();
    booted.dataPlane.setHanging(false);
    const answered = await booted.keyed(TRADES);
    expect(answered.headers['x-credits-remaining']).toBe('99');
  });
});
