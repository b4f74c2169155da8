import { type BootedGateway, bootGateway } from './stand-in/boot';
import { openStream } from './stand-in/event-stream';
import type { Reported } from './stand-in/quoted-call';
import { bootTwoSymbols, BTC, ETH, partsOf } from './stand-in/two-symbols';

const ESTIMATE = '/api/public/market-state/usage/estimate';

describe('the estimate of a call with a body', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  it('names every field that a body lacks or has too much, in the query', async () => {
    const faultsOf = async (query: string): Promise<string[]> => {
      const refused = await booted.keyed(`${ESTIMATE}?route=/api/public/market-state/watchlists&method=POST&${query}`);
      expect(refused.status).toBe(422);
      return refused
        .json<{ detail: { loc: string[]; msg: string }[] }>()
        .detail.map(({ loc, msg }) => `${loc.join('.')} ${msg}`)
        .sort();
    };
    expect(await faultsOf('')).toEqual(['query.name is required', 'query.rules is required', 'query.symbols is required']);
    expect(await faultsOf('name=n&symbols=BTCUSD-PERP&rules=x&colour=red')).toEqual([
      'query.colour is not a body field of this route',
      expect.stringMatching(/^query\.rules/),
    ]);
    expect(await faultsOf('name=n&symbols=BTCUSD-PERP&rules=[{')).toEqual(['query.rules must be JSON, as in the body']);
  });

  it('says of a change without any field which there are', async () => {
    const path = '/api/public/market-state/watchlists/{watchlist_id}';
    const refused = await booted.keyed(`${ESTIMATE}?route=${path}&method=PATCH&watchlist_id=wl_1`);
    expect(refused.json()).toMatchObject({ detail: [{ loc: ['query'], msg: expect.stringContaining('name, symbols, rules, muted') }] });
  });
});

it('the quote of a replay counts the rows that the stream then has, of one symbol and of several, and pays for all of it', async () => {
  const market = await bootTwoSymbols();
  const { booted } = market;
  try {
    market.append(BTC, 300);
    market.append(ETH, 170);
    for (const symbols of [BTC, `${BTC},${ETH}`]) {
      const query = `symbol=${symbols}&channels=book,trades&start=2026-01-01T00:00:00Z&end=2026-01-01T01:00:00Z&speed=max`;
      const route = '/api/public/data/stream/replay';
      const reported = (await booted.keyed(`${ESTIMATE}?route=${route}&${query}`)).json<Reported>();
      const credentials = { 'x-market-state-api-key': booted.key, 'x-quote-id': reported.quote_id };
      const stream = await openStream(`${booted.gateway.url}${route}?${query}`, credentials);
      await stream.ended;
      const messages = stream.messages.filter(({ event }) => event !== 'heartbeat');
      expect(messages.slice(-2)).toMatchObject([
        { event: 'receipt' },
        { event: 'end', data: expect.stringContaining('"partial"') as string },
      ]);
      expect(reported).toMatchObject({
        estimated_market_state_credit_cost: Math.ceil((messages.length - 1) / 100),
        charged_by_messages: true,
      });
      const rows = partsOf(messages).filter(({ event }) => event === 'row').length;
      expect([reported.row_total_is, reported.row_total]).toEqual(['exact', rows]);
      expect(rows).toBeGreaterThan(300);
    }
  } finally {
    await booted.close();
  }
});
