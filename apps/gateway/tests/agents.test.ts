import { request } from 'node:http';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';

const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const CALLER = '127.0.0.9';

describe('messages of agents', () => {
  let booted: BootedGateway;
  let nowMs = Date.now();
  beforeAll(async () => {
    booted = await bootGateway({ now: () => nowMs, monotonicMs: () => 1_000, config: { publicRate: { perMinute: 1, burst: 2 } } });
  });
  afterAll(() => booted.close());

  const post = (message: unknown, headers: Readonly<Record<string, string>>): Promise<RawResponse> =>
    booted.get('/mcp', {
      method: 'POST',
      localAddress: CALLER,
      body: JSON.stringify(message),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const lastRequested = () => booted.agents.requested.at(-1);

  it('are handed on with the key, whichever header it came in, and with the address of the caller', async () => {
    const credentials: Record<string, string>[] = [{ authorization: `Bearer ${booted.key}` }, { 'x-market-state-api-key': booted.key }];
    for (const headers of credentials) {
      const answer = await post(LIST, {
        ...headers,
        'x-forwarded-for': '203.0.113.9',
        'mcp-protocol-version': '2025-11-25',
        'mcp-method': 'tools/list',
      });
      expect([answer.status, answer.json()]).toEqual([200, { jsonrpc: '2.0', id: 7, result: { method: 'tools/list' } }]);
      expect(lastRequested()).toMatchObject({
        apiKey: booted.key,
        signedAddress: expect.stringContaining(CALLER),
        protocolVersion: '2025-11-25',
        method: 'tools/list',
        allowExports: false,
      });
      expect(answer.headers['x-credits-charged']).toBeUndefined();
    }
  });

  it('give calls that carry the signed address to the caller, and calls that carry a forged or expired one to their sender', async () => {
    await post(LIST, { authorization: `Bearer ${booted.key}` });
    const signed = lastRequested()?.signedAddress ?? '';
    const statuses = async (header: string, value: string): Promise<number[]> => {
      const ask = () => booted.get('/openapi.json', { headers: { [header]: value } });
      return [(await ask()).status, (await ask()).status, (await ask()).status];
    };
    expect(await statuses('x-market-state-signed-address', signed)).toEqual([200, 200, 429]);
    expect((await booted.get('/openapi.json', { localAddress: CALLER })).status).toBe(429);
    expect(await statuses('x-market-state-signed-address', signed.replace(CALLER, '127.0.0.8'))).toEqual([200, 200, 429]);
    expect(await statuses('x-forwarded-for', '203.0.113.9')).toEqual([429, 429, 429]);
    nowMs += 60_000;
    expect(await statuses('x-market-state-signed-address', signed)).toEqual([429, 429, 429]);
    expect((await booted.get('/openapi.json', { localAddress: '127.0.0.8' })).status).toBe(200);
  });

  it('need a key that counts, and no other route takes it as a bearer', async () => {
    const before = booted.agents.requested.length;
    for (const authorization of ['Bearer junk', 'Bearer ', `Basic ${booted.key}`, booted.key])
      expect((await post(LIST, { authorization })).status).toBe(401);
    expect(booted.agents.requested).toHaveLength(before);
    const elsewhere = await booted.get('/api/public/market-state/latest', { headers: { authorization: `Bearer ${booted.key}` } });
    expect(elsewhere.status).toBe(401);
  });

  it('are answered with the status of the protocol: 202 where they want no answer, 405 to a stream', async () => {
    const headers = { authorization: `Bearer ${booted.key}` };
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202);
    const stream = await booted.get('/mcp', { headers });
    expect([stream.status, stream.headers['allow']]).toEqual([405, 'POST']);
  });

  it('offer exports where the caller says so', async () => {
    await post(LIST, { authorization: `Bearer ${booted.key}`, 'x-market-state-allow-exports': 'true' });
    expect(lastRequested()?.allowExports).toBe(true);
  });

  it('are refused before they are handed on when they are too large, too deep or no message', async () => {
    const headers = { authorization: `Bearer ${booted.key}` };
    const before = booted.agents.requested.length;
    const nested: unknown = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], 1);
    const statuses = [
      (await post({ ...LIST, params: { text: 'x'.repeat(70_000) } }, headers)).status,
      (await post({ ...LIST, params: { nested } }, headers)).status,
      (await post([LIST], headers)).status,
      (await post({ id: 1 }, headers)).status,
    ];
    expect(statuses).toEqual([413, 422, 422, 422]);
    expect(booted.agents.requested).toHaveLength(before);
  });

  it('are given up with their caller', async () => {
    const before = booted.agents.cancelledTotal();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'wait' });
    const requested = booted.agents.requested.length;
    const call = request(`${booted.gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${booted.key}` },
    });
    call.on('error', () => undefined);
    call.end(body);
    await booted.until(() => booted.agents.requested.length > requested);
    call.destroy();
    await booted.until(() => booted.agents.cancelledTotal() > before);
  });
});
