import { account as accountContract } from '@market-state/contracts';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';
import { packetRecord } from './stand-in/packet-record';

const LATEST = '/api/public/market-state/latest';
const MARKET_STATE = '/api/public/market-state';
const DATA = '/api/public/data';
const DELAY_MS = 600_000;

interface LatestBody {
  readonly packet_refs: readonly { readonly event_id: string }[];
  readonly rows: readonly { readonly event_id: string }[];
  readonly meta: { readonly response_semantics: Readonly<Record<string, unknown>> };
}

describe('a sandbox key', () => {
  /** In the middle of a window, so that the previous packet is known. */
  const nowMs = lastWindowEndMs() + 5_000;
  const cutoffMs = nowMs - DELAY_MS;
  const oldEndMs = lastWindowEndMs(cutoffMs);
  let booted: BootedGateway;
  let get: (path: string) => Promise<RawResponse>;
  beforeAll(async () => {
    booted = await bootGateway({ now: () => nowMs });
    for (const symbol of ['BTCUSD-PERP', 'ETHUSD-PERP']) {
      for (const endMs of [oldEndMs - 10_000, oldEndMs, oldEndMs + 10_000]) booted.labeling.store(packetRecord(symbol, endMs));
    }
    const key = booted.account.issue({}, 'test');
    get = (path) => booted.get(path, { headers: { 'x-market-state-api-key': key } });
  });
  afterAll(() => booted.close());

  it.each(['BTCUSD-PERP', 'ALL'])('gets of %s the newest packet whose window ended 600 s ago', async (symbol) => {
    const response = await get(`${LATEST}?symbol=${symbol}`);
    expect(response.status).toBe(200);
    const body = response.json<LatestBody>();
    const symbols = symbol === 'ALL' ? ['BTCUSD-PERP', 'ETHUSD-PERP'] : [symbol];
    expect(body.rows.filter((row) => symbols.some((name) => row.event_id.includes(name))).map((row) => row.event_id)).toEqual(
      symbols.map((name) => `evt_${name}_${oldEndMs}`),
    );
    expect(body.meta.response_semantics).toMatchObject({ response_state: 'delayed_sandbox', auth_state: 'api_key', live_current: false });
  });

  it('gets no packet of an event that is younger, as if there were none', async () => {
    const young = await get(`${DATA}/events/evt_BTCUSD-PERP_${oldEndMs + 10_000}/join-spec`);
    const madeUp = await get(`${DATA}/events/evt_BTCUSD-PERP_10000/join-spec`);
    expect(young.status).toBe(404);
    expect({ ...young.json(), request_id: '' }).toEqual({ ...madeUp.json(), request_id: '' });
    expect((await get(`${DATA}/events/evt_BTCUSD-PERP_${oldEndMs}/join-spec`)).status).toBe(200);
  });

  it('gets the views of a packet that is old enough, only such packets around it, and no views of a younger one', async () => {
    const views = ['events/{}/evidence', 'packets/{}/workbench', 'postmortems/{}'].map((path) => `/api/public/market-state/${path}`);
    for (const view of views) {
      expect((await get(view.replace('{}', `evt_BTCUSD-PERP_${oldEndMs + 10_000}`))).status).toBe(404);
      const old = await get(view.replace('{}', `evt_BTCUSD-PERP_${oldEndMs - 10_000}`));
      expect(old.status).toBe(200);
      expect(old.json<LatestBody>().meta.response_semantics).toMatchObject({ response_state: 'delayed_sandbox', live_current: false });
      expect(old.text).not.toContain(`evt_BTCUSD-PERP_${oldEndMs + 10_000}`);
    }
    for (const read of [
      'forced-flow/latest',
      'crowding-regime/latest',
      'microstructure/queue-fragility/latest',
      'microstructure/buyer-summary',
      'feature-quality',
    ]) {
      const { packet_ref, rejected_messages } = (await get(`/api/public/market-state/${read}`)).json<{
        packet_ref: { event_id: string };
        rejected_messages?: null;
      }>();
      expect([packet_ref.event_id, rejected_messages ?? null]).toEqual([`evt_BTCUSD-PERP_${oldEndMs}`, null]);
    }
  });

  it.each([`${DATA}/stream`, '/api/public/market-state/stream', `${DATA}/health`])('is refused %s in words', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(403);
    expect(response.json()).toMatchObject({ code: 'sandbox_refused', detail: expect.stringMatching(/delayed by 600 s/) });
  });

  it.each([
    `${DATA}/catalog`,
    `${DATA}/manifest`,
    `${DATA}/status/rights`,
    `${DATA}/candles`,
    `${DATA}/gaps`,
    `${DATA}/replay/window`,
    `${DATA}/status/freshness`,
  ])('%s says that it is delayed, as of 600 s ago at the latest', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    const body = response.json<{ as_of_utc: string; meta: LatestBody['meta'] }>();
    expect(Date.parse(body.as_of_utc)).toBeLessThanOrEqual(cutoffMs);
    expect(body.meta.response_semantics).toMatchObject({
      response_state: 'delayed_sandbox',
      status_text: expect.stringMatching(/^Delayed for a sandbox key/),
    });
  });

  it.each([
    [`${DATA}/replay/window`, 'start', 'end'],
    [`${DATA}/candles`, 'from', 'to'],
    [`${DATA}/gaps`, 'from', 'to'],
    [`${MARKET_STATE}/history`, 'from', 'to'],
    [`${MARKET_STATE}/events/search`, 'from', 'to'],
    [`${MARKET_STATE}/labels/stability`, 'from', 'to'],
  ])('is refused %s of a window that begins after the delay, at no charge, and served one that ends after it', async (path, from, to) => {
    const windowFrom = (fromMs: number) => get(`${path}?${from}=${fromMs}&${to}=${nowMs}`);
    const refused = await windowFrom(cutoffMs + 60_000);
    expect([refused.status, refused.headers['x-credits-charged']]).toEqual([422, '0']);
    expect(refused.json()).toEqual({
      detail: [{ loc: ['query', from], msg: 'must be more than 600 s ago for a sandbox key', type: 'delayed' }],
      fault_total: 1,
    });
    expect((await windowFrom(cutoffMs - 60_000)).status).toBe(200);
  });

  it('is refused a window that ends now, which is not finished', async () => {
    const response = await get(`${DATA}/replay/window?start=${cutoffMs - 60_000}&end=${nowMs}`);
    expect(response.json()).toMatchObject({
      completeness: { status: 'partial', reasons: expect.arrayContaining(['window_not_finished']) },
    });
  });

  it('gets no estimate of an export, which would count rows that it may not see yet', async () => {
    const response = await get(`/api/public/market-state/usage/estimate?route=${DATA}/export/jobs&dataset=trades`);
    expect([response.status, response.json()['code']]).toEqual([403, 'sandbox_refused']);
  });

  it('needs a live key on account routes, but may read who it is', async () => {
    const account = booted.account.issue({ scopes: [accountContract.Scope.ACCOUNT] }, 'test');
    const headers = { 'x-market-state-api-key': account };
    expect((await booted.get('/api/public/market-state/account/keys', { headers })).json()).toMatchObject({ code: 'sandbox_refused' });
    expect((await booted.get('/api/public/market-state/account/me', { headers })).json()).toMatchObject({ sandbox: true });
  });
});
