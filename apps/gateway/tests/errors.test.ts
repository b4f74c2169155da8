import { connect } from 'node:net';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';

const RESET = '/api/public/market-state/account/auth/password-reset/request';
const JSON_TYPE = { 'content-type': 'application/json' };
const isProblem = responseCheck('Problem');

function expectProblem(response: RawResponse, status: number, code: string): void {
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(isProblem(response.json())).toBeNull();
  expect(response.json()).toMatchObject({ status, code, request_id: response.headers['x-request-id'] });
  expect(response.text).not.toMatch(/<|node_modules|at .*\(|Error:|express|ajv|grpc/i);
}

describe('error answers', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  it('reports a route that does not exist', async () => {
    expectProblem(await booted.keyed('/api/public/market-state/nothing'), 404, 'not_found');
    expectProblem(await booted.get('/'), 404, 'not_found');
    expectProblem(await booted.get('/api/public/market-state/latest/'), 404, 'not_found');
    expectProblem(await booted.get('/API/public/market-state/latest'), 404, 'not_found');
  });

  it.each(['POST', 'OPTIONS', 'DELETE', 'TRACE', 'PATCH'])('reports %s on a read-only route, with Allow', async (method) => {
    const response = await booted.get('/api/public/market-state/latest', { method });
    expectProblem(response, 405, 'method_not_allowed');
    expect(response.headers['allow']).toBe('GET, HEAD');
  });

  it('lists every method of an address in Allow', async () => {
    const response = await booted.get('/api/public/data/export/jobs/j1', { method: 'PUT' });
    expectProblem(response, 405, 'method_not_allowed');
    expect(response.headers['allow']).toBe('GET, HEAD, DELETE');
  });

  it('reports broken JSON', async () => {
    expectProblem(await booted.get(RESET, { method: 'POST', body: '{"email":', headers: JSON_TYPE }), 400, 'malformed_json');
  });

  it('reports a body over 64 KiB', async () => {
    expectProblem(
      await booted.get(RESET, { method: 'POST', body: JSON.stringify({ email: 'x'.repeat(65_536) }), headers: JSON_TYPE }),
      413,
      'payload_too_large',
    );
  });

  it('reports a body that is not plain JSON', async () => {
    expectProblem(
      await booted.get(RESET, { method: 'POST', body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      415,
      'unsupported_media_type',
    );
    expectProblem(await booted.get(RESET, { method: 'POST', body: '{}' }), 415, 'unsupported_media_type');
    expectProblem(
      await booted.get(RESET, { method: 'POST', body: '{}', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }),
      415,
      'unsupported_media_type',
    );
    expectProblem(
      await booted.get(RESET, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } }),
      415,
      'unsupported_media_type',
    );
  });

  it('reports an address that cannot be decoded', async () => {
    expectProblem(await booted.keyed('/api/public/market-state/postmortems/%E0%A4%A'), 400, 'malformed_address');
  });

  it('echoes a sane request id and replaces another one', async () => {
    expect((await booted.get('/x', { headers: { 'x-request-id': 'abc-1.2_3' } })).headers['x-request-id']).toBe('abc-1.2_3');
    const replaced = await booted.get('/x', { headers: { 'x-request-id': 'a b"<script>' } });
    expect(replaced.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    '/livez',
    '/nothing',
    '/openapi.json',
    '/api/public/market-state/latest',
    '/api/public/data/health',
    `/api/public/data/candles?tf=x`,
  ])('secures the headers of %s', async (path) => {
    const { headers } = await booted.keyed(path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'cache-control': path === '/openapi.json' ? 'public, max-age=10, stale-while-revalidate=30' : 'no-store',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-request-id']).toBeDefined();
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['server']).toBeUndefined();
  });

  async function raw(bytes: string): Promise<{ head: string; body: string }> {
    const socket = connect(booted.gateway.port, '127.0.0.1');
    socket.end(bytes);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    return { head, body };
  }

  it('reports a request that is not HTTP', async () => {
    const { head, body } = await raw('NONSENSE\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('Content-Type: application/problem+json; charset=utf-8\r\n');
    expect(JSON.parse(body)).toMatchObject({ code: 'malformed_request', status: 400 });
  });

  it('reports a request without Host, under its own id', async () => {
    const { head, body } = await raw('GET /api/public/market-state/latest HTTP/1.1\r\nX-Request-Id: no-host.1\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('X-Request-Id: no-host.1');
    expect(head).toContain('Connection: close');
    expect(JSON.parse(body)).toMatchObject({
      code: 'malformed_request',
      status: 400,
      request_id: 'no-host.1',
      detail: expect.stringContaining('Host'),
    });
  });

  it('reports headers over 16 KiB', async () => {
    const { head, body } = await raw(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(17_000)}\r\n\r\n`);
    expect(head).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(JSON.parse(body)).toMatchObject({ code: 'headers_too_large' });
  });
});
