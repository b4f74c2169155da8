import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { SIMULATED_SYMBOL } from './stand-in/data-plane';
import { closingOrdinal, madePacket, madeRows } from './stand-in/made-rows';
import { runBash, runDuckdb, type SnippetFolder } from './stand-in/run-snippet';

const DATA = '/api/public/data';
const WINDOW_END_MS = Date.parse('2025-12-31T23:10:10.000Z');

interface Fetch {
  readonly channel?: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly url: string;
  readonly output: string;
  readonly fetch: string;
}

interface Step extends Fetch {
  readonly step: number;
  readonly step_id: string;
  readonly estimated_market_state_credit_cost: number;
  readonly workload_family: string;
}

interface Spec {
  readonly event_id: string;
  readonly routes: readonly Fetch[];
  readonly steps: readonly Step[];
  readonly sql: { readonly reads: readonly string[]; readonly statement: string };
  readonly estimated_market_state_credit_cost: number;
}

describe('joins', () => {
  let booted: BootedGateway;
  let place: SnippetFolder;
  beforeAll(async () => {
    booted = await bootGateway();
    place = { folder: await mkdtemp(join(tmpdir(), 'market-state-joins-')), key: booted.key };
    for (const symbol of ['BTCUSD-PERP', SIMULATED_SYMBOL]) booted.labeling.store(madePacket(symbol, WINDOW_END_MS));
  });
  afterAll(async () => {
    await booted.close();
    await rm(place.folder, { recursive: true });
  });

  const eventId = (symbol: string) => `evt_${symbol}_${WINDOW_END_MS}`;

  async function read(path: string, schema: string): Promise<Spec> {
    const response = await booted.keyed(DATA + path);
    expect(response.status).toBe(200);
    expect(responseCheck(schema)(response.json())).toBeNull();
    return response.json<Spec>();
  }

  /** Fetches as a spec describes, then runs its statement. */
  async function follow(fetches: readonly Fetch[], { reads, statement }: Spec['sql']): Promise<Record<string, unknown>[]> {
    await runBash(
      place,
      fetches.map(({ fetch }) => fetch),
    );
    expect(fetches.map(({ output }) => output)).toEqual(expect.arrayContaining([...reads]));
    const [lines = []] = await runDuckdb(place, [statement]);
    return lines;
  }

  /** Sequences of the rows in the packet's window. */
  function rowsOfPacket(symbol: string, channel: string): number[] {
    return madeRows(symbol, WINDOW_END_MS - 9_999, WINDOW_END_MS + 1, [channel]).map(({ sequence }) => sequence);
  }

  describe('the join spec of an event', () => {
    it.each(['BTCUSD-PERP', SIMULATED_SYMBOL])(
      'joins the packet of %s with the newest book and the trades of its window',
      async (symbol) => {
        const spec = await read(`/events/${eventId(symbol)}/join-spec`, 'EventJoinSpec');
        expect(spec).toMatchObject({
          symbol,
          event_id: eventId(symbol),
          sequence: closingOrdinal(WINDOW_END_MS),
          window: { start_utc: '2025-12-31T23:10:00.000Z', end_utc: '2025-12-31T23:10:10.000Z', length_ms: 10_000 },
        });
        const [line, ...others] = await follow(spec.routes, spec.sql);
        expect(others).toEqual([]);
        const books = rowsOfPacket(symbol, 'book');
        const trades = rowsOfPacket(symbol, 'trades');
        expect(line).toMatchObject({
          book_sequence: String(books.at(-1)),
          trades_total: String(trades.length),
          window_end: '2025-12-31 23:10:10',
        });
        expect(Number(line?.['trades_buy_size']) + Number(line?.['trades_sell_size'])).toBe(trades.length * 0.25);
        if (symbol === SIMULATED_SYMBOL) expect(Number(line?.['funding_rate'])).toBe(0.0000125);
      },
    );

    it.each(['join-spec', 'recipe'])(
      'an omitted symbol is the default, in the %s of any event; another symbol than its own is 404',
      async (kind) => {
        const id = eventId(SIMULATED_SYMBOL);
        const path = kind === 'join-spec' ? `/events/${id}/join-spec?` : `/packet-join/recipe?event_id=${id}&`;
        const answers = await Promise.all(
          ['', 'symbol=BTCUSD-PERP', `symbol=${SIMULATED_SYMBOL}`].map((sent) => booted.keyed(`${DATA}${path}${sent}`)),
        );
        for (const answer of answers)
          expect([answer.status, answer.json()]).toMatchObject([200, { symbol: SIMULATED_SYMBOL, event_id: id }]);
        for (const symbol of ['ETHUSD-PERP', 'NONEUSD-PERP'])
          expect([symbol, (await booted.keyed(`${DATA}${path}symbol=${symbol}`)).status]).toEqual([symbol, 404]);
      },
    );

    it.each(['evt_0000000000000000000000000', 'nonsense'])('answers 404 to %s', async (id) => {
      const response = await booted.keyed(`${DATA}/events/${id}/join-spec`);
      expect(response.status).toBe(404);
    });
  });

  describe('the packet-join recipe', () => {
    it.each([
      ['BTCUSD-PERP', ['book', 'trades']],
      [SIMULATED_SYMBOL, ['book', 'trades', 'context', 'liquidations']],
    ])('finds the own rows of the packet of %s when it is followed to the letter', async (symbol, channels) => {
      const recipe = await read(`/packet-join/recipe?event_id=${eventId(symbol)}&include_candles=true&limit=1000`, 'PacketJoinRecipe');
      const lines = await follow(recipe.steps, recipe.sql);
      for (const channel of ['book', 'trades', 'liquidations'].filter((name) => channels.includes(name))) {
        expect(lines.filter((line) => line['channel'] === channel).map((line) => Number(line['sequence']))).toEqual(
          rowsOfPacket(symbol, channel),
        );
      }
      expect(new Set(lines.map((line) => line['channel']))).toEqual(new Set(channels));
      expect(new Set(lines.map((line) => line['event_id']))).toEqual(new Set([eventId(symbol)]));
      expect(lines.filter((line) => line['channel'] === 'context').length).toBe(channels.includes('context') ? 1 : 0);
    });

    it('takes the newest packet without an event, and honours depth, limit and what is to be left out', async () => {
      booted.labeling.store(madePacket('ETHUSD-PERP', WINDOW_END_MS + 10_000));
      const recipe = await read('/packet-join/recipe?symbol=ETHUSD-PERP&include_trades=false&depth=2&limit=5', 'PacketJoinRecipe');
      expect(recipe).toMatchObject({
        symbol: 'ETHUSD-PERP',
        event_id: `evt_ETHUSD-PERP_${WINDOW_END_MS + 10_000}`,
        include_trades: false,
        include_candles: false,
        depth: 2,
        limit: 5,
      });
      expect(recipe.steps.map(({ step_id }) => step_id)).toEqual(['window_rows', 'book_now']);
      expect(recipe.steps[1]?.parameters).toEqual({ symbol: 'ETHUSD-PERP', depth: 2 });
      const lines = await follow(recipe.steps, recipe.sql);
      expect(lines).toHaveLength(5);
      for (const line of lines) expect(line['bids']).toHaveLength(2);
    });

    it('estimates each step by the price list', async () => {
      const recipe = await read(
        `/packet-join/recipe?event_id=${eventId('BTCUSD-PERP')}&include_candles=true&depth=1000&limit=250`,
        'PacketJoinRecipe',
      );
      expect(
        recipe.steps.map(({ step, step_id, workload_family, estimated_market_state_credit_cost }) => [
          step,
          step_id,
          workload_family,
          estimated_market_state_credit_cost,
        ]),
      ).toEqual([
        [1, 'window_rows', 'market_data_replay_window', 7],
        [2, 'candles', 'market_data_candles', 2],
        [3, 'book_now', 'market_data_latest', 5],
        [4, 'trades_now', 'market_data_latest', 2],
      ]);
      expect(recipe.estimated_market_state_credit_cost).toBe(16);
    });

    it('answers 404 to an event that there is not', async () => {
      expect((await booted.keyed(`${DATA}/packet-join/recipe?event_id=evt_none`)).status).toBe(404);
    });

    it('answers 503 while there is no packet yet', async () => {
      const empty = await bootGateway({ packets: false });
      const response = await empty.keyed(`${DATA}/packet-join/recipe`);
      await empty.close();
      expect(response.json()).toMatchObject({ status: 503, code: 'no_packet_yet' });
    });
  });
});
