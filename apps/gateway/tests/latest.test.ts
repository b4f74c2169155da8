import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { labeling } from '@market-state/contracts';
import { operationById } from '../src/serving/openapi/operations';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway, lastWindowEndMs, SYMBOLS } from './stand-in/boot';
import { packetRecord } from './stand-in/packet-record';

const LATEST = '/api/public/market-state/latest';

interface LatestBody {
  readonly packet_serving_state: string;
  readonly row_total: number;
  readonly packet_refs: readonly Readonly<Record<string, unknown>>[];
  readonly rows: readonly { readonly symbol: string; readonly event_id: string }[];
  readonly packet_freshness: { readonly fresh_until_utc: string; readonly symbols_without_packet: readonly string[] };
  readonly meta: { readonly response_semantics: Record<string, unknown> };
}

describe('latest while packets are pushed', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
    await booted.keyed(LATEST);
  });
  afterAll(() => booted.close());

  it('answers with every field that the document promises', async () => {
    const response = await booted.keyed(LATEST);
    expect(response.status).toBe(200);
    expect(responseCheck('LatestResponse')(response.json())).toBeNull();
    expect(response.json()).toMatchObject({ row_total: 1, packet_serving_state: 'fresh_packet', rows: [{ symbol: 'BTCUSD-PERP' }] });
  });

  it.each(['getLatest', 'getForcedFlowLatest', 'getCrowdingRegimeLatest', 'getQueueFragilityLatest', 'getBuyerSummary'])(
    'makes no unary call for a warm read of %s',
    async (id) => {
      const { path } = operationById(id);
      const { packets, keys, marketData } = booted.gateway.upstreams;
      const before = [packets.unaryCallTotal(), keys.unaryCallTotal(), marketData.unaryCallTotal('getBook')];
      for (let read = 0; read < 50; read += 1) expect((await booted.keyed(`${path}?symbol=ETHUSD-PERP`)).status).toBe(200);
      expect([packets.unaryCallTotal(), keys.unaryCallTotal(), marketData.unaryCallTotal('getBook')]).toEqual(before);
      expect(booted.labeling.unaryTotal()).toBe(0);
    },
  );

  it('makes no call of any kind while it is read warm but one that posts the charges of many reads', async () => {
    const still = await bootGateway({ monotonicMs: () => 1_000_000 });
    const key = still.account.issue({ tenantId: 'ten_still' });
    const read = () => still.get(LATEST, { headers: { 'x-market-state-api-key': key } });
    const { credits, marketData, packets, keys, people, idempotency } = still.gateway.upstreams;
    const others = () =>
      [packets, keys, people, idempotency]
        .map((client) => client.unaryCallTotal())
        .concat(credits.unaryCallTotal() - credits.unaryCallTotal('postCharges'), marketData.unaryCallTotal('getBook'));
    for (let call = 0; call < 60; call += 1) await read();
    const [before, postsBefore] = [others(), credits.unaryCallTotal('postCharges')];
    const reads = await Promise.all(Array.from({ length: 100 }, read));
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
    await still.until(() => still.account.credits.receipts('ten_still').length === 160);
    expect(others()).toEqual(before);
    expect(credits.unaryCallTotal('postCharges') - postsBefore).toBeLessThanOrEqual(20);
    await still.close();
  });

  it('serves every symbol for ALL', async () => {
    const body = (await booted.keyed(`${LATEST}?symbol=ALL`)).json<LatestBody>();
    expect(body.rows.map(({ symbol }) => symbol)).toEqual([...SYMBOLS]);
    expect(body.row_total).toBe(2);
    expect(responseCheck('LatestResponse')(body)).toBeNull();
  });

  it('calls a recording a recording and never live', async () => {
    const { meta } = (await booted.keyed(LATEST)).json<LatestBody>();
    expect(meta.response_semantics).toMatchObject({
      response_state: 'recorded_replay',
      live_current: false,
      freshness_state: 'fresh',
      auth_state: 'api_key',
      stale: false,
      status_text: expect.stringContaining('Packets of a re-timed recording.'),
    });
  });

  it('names the symbols served when one is not', async () => {
    const response = await booted.keyed(`${LATEST}?symbol=DOGEUSD-PERP`);
    expect(response.status).toBe(404);
    expect(response.json()).toMatchObject({ code: 'unknown_symbol', symbols_served: [...SYMBOLS] });
    expect(response.json()['detail']).toContain('BTCUSD-PERP');
  });

  it('sends the same body in each coding, each under its own entity tag', async () => {
    const plain = await booted.keyed(LATEST);
    const gzip = await booted.keyed(LATEST, { headers: { 'accept-encoding': 'gzip' } });
    const br = await booted.keyed(LATEST, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(br.headers['content-encoding']).toBe('br');
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    expect(new Set([plain, gzip, br].map(({ headers }) => headers['etag'])).size).toBe(3);
    for (const { headers, bytes } of [plain, gzip, br])
      expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'cache-control': 'no-store', 'content-length': String(bytes.length) });
  });

  it('answers 304 to the tag it gave, and 200 to another one', async () => {
    const { headers } = await booted.keyed(LATEST);
    const same = await booted.keyed(LATEST, { headers: { 'if-none-match': `"x", W/${String(headers['etag'])}` } });
    expect(same.status).toBe(304);
    expect(same.bytes.length).toBe(0);
    expect(same.headers['etag']).toBe(headers['etag']);
    expect((await booted.keyed(LATEST, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const get = await booted.keyed(LATEST);
    const head = await booted.keyed(LATEST, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.bytes.length).toBe(0);
    expect(head.headers['etag']).toBe(get.headers['etag']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('serves a pushed packet under a new tag', async () => {
    const before = await booted.keyed(LATEST);
    booted.labeling.push(packetRecord('BTCUSD-PERP', lastWindowEndMs() + 10_000));
    await booted.until(async () => (await booted.keyed(LATEST)).headers['etag'] !== before.headers['etag']);
    expect((await booted.keyed(LATEST)).json<LatestBody>().rows[0]?.event_id).not.toBe(before.json<LatestBody>().rows[0]?.event_id);
  });

  it('shows the signature next to the digest that it covers, and null if not signed', async () => {
    const [signed, plain] = SYMBOLS.map((symbol) => packetRecord(symbol, lastWindowEndMs() + 20_000));
    booted.labeling.push({
      ...(signed as labeling.PacketRecord),
      signature: Buffer.alloc(64, 9),
      signingKeyId: 'key_0123456789abcdefghjkmnpqrs',
    });
    booted.labeling.push({ ...(plain as labeling.PacketRecord), signature: Buffer.alloc(0), signingKeyId: '' });
    const both = async () => (await booted.keyed(`${LATEST}?symbol=ALL`)).json<LatestBody>();
    const digests = [signed?.packetDigest, plain?.packetDigest];
    await booted.until(async () => (await both()).packet_refs.every((ref, index) => ref['packet_digest'] === digests[index]));
    const body = await both();
    expect(responseCheck('LatestResponse')(body)).toBeNull();
    expect(body.packet_refs).toMatchObject([
      { signature: Buffer.alloc(64, 9).toString('base64'), signing_key_id: 'key_0123456789abcdefghjkmnpqrs' },
      { signature: null, signing_key_id: null },
    ]);
  });

  it('says that the feed is down while it is', async () => {
    booted.dataPlane.setDown('feed', true);
    const semantics = async () => (await booted.keyed(LATEST)).json<LatestBody>().meta.response_semantics;
    await booted.until(async () => (await semantics())['availability_state'] === 'partial');
    expect(String((await semantics())['status_text'])).toContain('feed_unavailable');
    booted.dataPlane.setDown('feed', false);
    await booted.until(async () => (await semantics())['availability_state'] === 'available');
  });
});

describe('latest while the labeling service is in trouble', () => {
  let booted: BootedGateway;
  let offsetMs = 0;
  let bootMs = 0;
  beforeEach(async () => {
    offsetMs = 0;
    bootMs = Date.now();
    booted = await bootGateway({ now: () => bootMs + offsetMs, monotonicMs: () => performance.now() + offsetMs });
  });
  afterEach(() => booted.close());
  const state = async () => (await booted.keyed(LATEST)).json<LatestBody>().packet_serving_state;

  it('asks one by one while the stream is down, then follows the stream again', async () => {
    booted.labeling.setDown(true);
    booted.labeling.breakStreams();
    await booted.until(async () => (await state()) === 'retained_packet_labeling_unreachable');
    expect((await booted.keyed(LATEST)).json<LatestBody>().meta.response_semantics).toMatchObject({
      live_current: false,
      availability_state: 'partial',
    });
    const newer = packetRecord('BTCUSD-PERP', lastWindowEndMs() + 10_000);
    booted.labeling.store(newer);
    booted.labeling.setDown(false);
    await booted.until(async () => (await state()) === 'fresh_packet');
    expect((await booted.keyed(LATEST)).json<LatestBody>().rows[0]?.event_id).toBe(newer.eventId);
  });

  it('calls a packet stale from 25 s after its window on, after asking for a newer one', async () => {
    offsetMs = 40_000;
    const response = await booted.keyed(LATEST);
    expect(response.json<LatestBody>().packet_serving_state).toBe('stale_packet');
    expect(response.json<LatestBody>().meta.response_semantics).toMatchObject({
      freshness_state: 'stale',
      stale: true,
      source_current_only: false,
    });
    expect(booted.labeling.unaryTotal()).toBe(1);
    await booted.keyed(LATEST);
    expect(booted.labeling.unaryTotal()).toBe(1);
  });

  it('serves a newer packet that the stream has not brought', async () => {
    offsetMs = 40_000;
    booted.labeling.store(packetRecord('BTCUSD-PERP', lastWindowEndMs(bootMs + offsetMs)));
    expect(await state()).toBe('fresh_packet');
  });

  it('carries the request id into the call it makes', async () => {
    offsetMs = 40_000;
    const response = await booted.keyed(LATEST, { headers: { 'x-request-id': 'trace-me.1' } });
    expect(response.headers['x-request-id']).toBe('trace-me.1');
    expect(booted.labeling.requestIds()).toContain('trace-me.1');
  });
});

describe('latest before the first packet', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ packets: false });
    await booted.until(async () => (await booted.keyed(LATEST)).json()['code'] === 'no_packet_yet');
  });
  afterAll(() => booted.close());

  it('answers 503 with Retry-After', async () => {
    const response = await booted.keyed(LATEST);
    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('5');
    expect(response.json()).toMatchObject({ code: 'no_packet_yet', status: 503 });
  });

  it('says which symbols are still missing when some have a packet', async () => {
    booted.labeling.push(packetRecord('ETHUSD-PERP', lastWindowEndMs()));
    await booted.until(async () => (await booted.keyed(`${LATEST}?symbol=ALL`)).status === 200);
    const body = (await booted.keyed(`${LATEST}?symbol=ALL`)).json<LatestBody>();
    expect(body.packet_serving_state).toBe('partial_packets');
    expect(body.packet_freshness.symbols_without_packet).toEqual(['BTCUSD-PERP']);
  });
});
