import { LATENCY_BOUNDS_MS } from '@market-state/service-figures';
import { type BootedGateway, bootGateway, lastWindowEndMs, SYMBOLS } from './stand-in/boot';
import { packetRecord } from './stand-in/packet-record';

const STATUS = '/api/public/market-state/status';
const MINUTE_MS = 60_000;

interface Row {
  readonly kind: string;
  readonly symbols: readonly string[];
}
interface Incidents {
  readonly rows: readonly Row[];
  readonly incomplete: readonly { readonly part: string; readonly kinds: readonly string[] }[];
  readonly next_cursor: string | null;
  readonly meta: { readonly response_semantics: { readonly status_text: string } };
}

describe('the record of the service', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  const incidents = async (query = '', symbol = 'ALL') =>
    (await booted.keyed(`${STATUS}/incidents?symbol=${symbol}&${query}`)).json<Incidents>();
  const kinds = ({ rows }: Incidents): string[] => rows.map(({ kind }) => kind);

  test('incidents of every part are in one order, the newest first, and cost nothing', async () => {
    const answer = await booted.keyed(`${STATUS}/incidents?symbol=ALL`);
    expect([answer.status, answer.headers['x-credits-charged']]).toEqual([200, '0']);
    expect(kinds(answer.json<Incidents>())).toEqual(['gap', 'packets_late', 'reads_failing', 'feed_silent']);
    expect(answer.json()).toMatchObject({ incomplete: [], next_cursor: null, row_total: 4 });
    expect(kinds(await incidents('kind=reads_failing'))).toEqual(['reads_failing']);
    const [, second = ''] = SYMBOLS;
    expect(kinds(await incidents('', second))).toContain('packets_late');
  });

  test('pages follow each other without a gap or a repeat, and a cursor is of its list alone', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Incidents = await incidents(`limit=1&cursor=${cursor}`);
      seen.push(...kinds(page));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(['gap', 'packets_late', 'reads_failing', 'feed_silent']);
    const { next_cursor: next } = await incidents('limit=1');
    const other = await booted.keyed(`${STATUS}/incidents?symbol=ALL&limit=1&kind=gap&cursor=${next ?? ''}`);
    expect([other.status, other.text]).toEqual([422, expect.stringContaining('next_cursor from an earlier response')]);
  });

  test('a part that does not answer is named with what may be missing', async () => {
    booted.labeling.setDown(true);
    booted.account.setDown(true);
    const answer = await incidents();
    booted.labeling.setDown(false);
    booted.account.setDown(false);
    expect(kinds(answer)).toEqual(['gap', 'feed_silent']);
    expect(answer.incomplete).toEqual([
      { part: 'packets', kinds: ['packets_late'] },
      { part: 'reads', kinds: ['reads_failing'] },
    ]);
    expect(answer.meta.response_semantics.status_text).toBe('The list is incomplete: packets, reads did not respond.');
  });

  test('spans that are too old or too long, and symbols that are not served, are refused', async () => {
    const status = async (query: string) => (await booted.keyed(`${STATUS}/${query}`)).status;
    expect(await status('incidents?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).toBe(410);
    expect(await status('latency?from=2020-01-01T00:00:00Z&to=2020-03-02T00:00:00Z')).toBe(422);
    expect(await status('sla?symbol=NONEUSD-PERP')).toBe(404);
  });

  test('latency and months are reported as labeling and account count them, shares rounded down', async () => {
    const latency = (await booted.keyed(`${STATUS}/latency?symbol=${SYMBOLS[0] ?? ''}`)).json<{ readonly rows: readonly object[] }>();
    const stage = { packet_total: 8_640, p50_ms: 12, p99_ms: 41, minutes_without_figures: 3 };
    const none = { packet_total: 0, p50_ms: null, p99_ms: null, minutes_without_figures: 0 };
    expect(latency.rows).toMatchObject([
      { is_finished: true, closing_tick_to_packet: stage, closing_tick_to_gateway: stage, remade_total: 6 },
      { is_finished: false, packet_to_gateway: stage, closing_tick_to_gateway: none },
    ]);
    const sla = (await booted.keyed(`${STATUS}/sla`)).json();
    expect(sla).toMatchObject({
      symbol: 'BTCUSD-PERP',
      rule: { window_seconds: 10, in_time_ms: 5_000 },
      rows: [
        {
          is_finished: false,
          windows: { due_total: 3_000, in_time_total: 2_999, without_figures_total: 1, share: 0.999666 },
          reads: { answered_total: 999_999, failed_total: 2, minutes_without_figures: 5, share: 0.999998 },
        },
      ],
    });
  });

  test('a sandbox key reads the record too: it says nothing of a market', async () => {
    const sandbox = booted.account.issue({}, 'test');
    const answer = await booted.get(`${STATUS}/sla`, { headers: { 'x-market-state-api-key': sandbox } });
    expect(answer.status).toBe(200);
  });
});

describe('what a gateway hands on', () => {
  test('reads by how they were answered, packets by how long they took, each minute once, and the last when it stops', async () => {
    const startMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    const booted = await bootGateway({ now: () => startMs + 20_000 });
    try {
      const { key } = booted;
      const path = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
      await booted.keyed(path);
      await booted.keyed(path);
      await booted.get(path, { headers: { 'x-market-state-api-key': `${key}x` } });
      await booted.keyed(`${STATUS}/sla?symbol=NONEUSD-PERP`);
      booted.labeling.setDown(true);
      expect((await booted.keyed('/api/public/market-state/history?symbol=BTCUSD-PERP')).status).toBe(503);
      booted.labeling.setDown(false);
      await booted.get('/readyz');
      await booted.get('/openapi.json');
      const windowEndMs = lastWindowEndMs(startMs + 20_000) + 10_000;
      const times = { knownTsMs: startMs + 20_000 - 40, generatedTsMs: startMs + 20_000 - 3 };
      booted.labeling.push(packetRecord('BTCUSD-PERP', windowEndMs, times));
      await booted.until(async () => (await booted.keyed(path)).text.includes(new Date(windowEndMs).toISOString()));
    } finally {
      await booted.close();
    }
    const [reads, ...furtherReads] = booted.account.readMinutes;
    expect(furtherReads).toEqual([]);
    expect(reads?.minutes.map(({ minuteMs, rateClass, failed, sinceMs }) => [minuteMs, rateClass, failed, sinceMs])).toEqual(
      ['metered', 'account', 'public', 'static'].map((rateClass) => [
        startMs,
        rateClass,
        rateClass === 'metered' ? 1 : 0,
        startMs + 20_000,
      ]),
    );
    const answered = Object.fromEntries(reads?.minutes.map((minute) => [minute.rateClass, minute.answered]) ?? []);
    expect(answered['metered']).toBeGreaterThanOrEqual(3);
    expect(answered).toMatchObject({ account: 0, public: 1, static: 0 });
    const [packets] = booted.labeling.gatewayMinutes;
    expect(packets?.minutes.map(({ symbol, minuteMs }) => [symbol, minuteMs])).toEqual(SYMBOLS.map((symbol) => [symbol, startMs]));
    const counted = packets?.minutes.find(({ symbol }) => symbol === 'BTCUSD-PERP');
    expect(counted?.packetToGateway).toEqual([0, 0, 1]);
    expect(counted?.closingTickToGateway?.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(counted?.closingTickToGateway?.length).toBe(LATENCY_BOUNDS_MS.filter((bound) => bound < 40).length + 1);
    expect(reads?.counterId).toBe(packets?.counterId);
  });
});
