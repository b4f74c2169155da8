import { connect } from 'node:net';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { createHostCheck } from '../src/serving/server/matched-server';
import { type BootedGateway, bootGateway } from './stand-in/boot';

const LATEST = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
const RESET = '/api/public/market-state/account/auth/password-reset/request';
const isProblem = responseCheck('Problem');

it.each([
  'localhost',
  'LOCALHOST:8080',
  '127.0.0.1',
  '127.0.0.1:1',
  '127.255.3.4:80',
  '[::1]',
  '[::1]:8080',
  'api.example.com',
  'API.example.com:443',
  '[2001:db8::1]:8080',
  '10.0.0.5',
  'localhost:',
  'localhost.',
  'api.example.com.',
  'API.example.com.:443',
])('%s names this service', (host) => {
  const isOwn = createHostCheck(['api.example.com', '[2001:db8::1]', '10.0.0.5']);
  expect([isOwn(host), isOwn(host)]).toEqual([true, true]);
});

it.each([
  '',
  'evil.example',
  'api.example.com.evil.example',
  'xapi.example.com',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '127.0.0.256',
  '127.1',
  '0.0.0.0',
  '[::]',
  '::1',
  '.',
  'localhost..',
  'localhost:8080:1',
  'localhost:123456',
  'user@localhost',
  'localhost/x',
  ' localhost',
  'localhost, evil.example',
  '[::1',
  '169.254.169.254',
])('%j does not', (host) => {
  expect(createHostCheck(['api.example.com'])(host)).toBe(false);
});

describe('the gateway', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ config: { publicHosts: ['api.example.com'], publicBaseUrl: 'https://public.example.com/market' } });
  });
  afterAll(() => booted.close());

  interface Answer {
    readonly status: number;
    readonly head: string;
    readonly body: string;
  }

  /** Everything received until the connection ends; the caller does not end it. */
  async function raw(bytes: string): Promise<Answer> {
    const socket = connect({ port: booted.gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write(bytes);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    socket.destroy();
    const end = text.indexOf('\r\n\r\n');
    return { status: Number(text.slice(9, 12)), head: text.slice(0, end), body: text.slice(end + 4) };
  }

  function expectRefusal({ status, head, body }: Answer, expected: number, code: string): void {
    expect(status).toBe(expected);
    const problem = JSON.parse(body) as { request_id: string };
    expect(isProblem(problem)).toBeNull();
    expect(problem).toMatchObject({ status: expected, code });
    expect(head).toContain('Content-Type: application/problem+json; charset=utf-8\r\n');
    expect(head).toContain(`X-Request-Id: ${problem.request_id}`);
    expect(head).toContain('X-Content-Type-Options: nosniff\r\n');
    expect(head).toContain('Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n');
    expect(head).toContain('Cache-Control: no-store\r\n');
    expect(head).toContain('Connection: close');
  }

  const get = (path: string, lines: string, version = '1.1') =>
    raw(`GET ${path} HTTP/${version}\r\n${lines}x-market-state-api-key: ${booted.key}\r\nConnection: close\r\n\r\n`);

  it.each(['localhost', '127.0.0.1:1234', '[::1]:80', 'api.example.com', 'public.example.com:443'])('is reached as %s', async (host) => {
    expect((await get(LATEST, `Host: ${host}\r\n`)).status).toBe(200);
    expect((await get('/livez', `hOsT: ${host}\r\n`, '1.0')).status).toBe(200);
    expect((await get(`http://${host}/livez`, `Host: ${host}\r\n`)).status).toBe(200);
  });

  it.each([
    ['a foreign name', LATEST, 'Host: evil.example\r\n'],
    ['an empty name', LATEST, 'Host:\r\n'],
    ['two names of its own', LATEST, 'Host: localhost\r\nHost: localhost\r\n'],
    ['its own name and a foreign one', LATEST, 'Host: localhost\r\nhost: evil.example\r\n'],
    ['a foreign name in the target', `http://evil.example${LATEST}`, 'Host: localhost\r\n'],
    ['a foreign name in addition to the target', `http://localhost${LATEST}`, 'Host: evil.example\r\n'],
    ['a user in the target', `http://localhost@evil.example${LATEST}`, 'Host: localhost\r\n'],
    ['a foreign name for a page', '/docs', 'Host: evil.example\r\n'],
    ['a foreign name for a probe', '/livez', 'Host: evil.example\r\n'],
    ['a foreign name for nothing', '/nothing', 'Host: evil.example\r\n'],
  ])('refuses %s', async (_name, path, lines) => {
    expectRefusal(await get(path, lines), 421, 'misdirected_request');
  });

  it('refuses HTTP/1.0 without a name', async () => {
    expectRefusal(await get('/livez', '', '1.0'), 421, 'misdirected_request');
  });

  it('refuses each expectation but 100-continue, after the name', async () => {
    for (const expectation of ['foo', '100-continue, foo', 'foo, 100-continue', '200-ok', '']) {
      const lines = `Host: localhost\r\nExpect: ${expectation}\r\n`;
      expectRefusal(await get(LATEST, lines), 417, 'expectation_failed');
      expectRefusal(await get(LATEST, lines.replace('localhost', 'evil.example')), 421, 'misdirected_request');
    }
    const named = await get(LATEST, 'Host: localhost\r\nX-Request-Id: expects.1\r\nExpect: foo\r\n');
    expect(named.head).toContain('X-Request-Id: expects.1');
  });

  const post = (body: string, lines: string) =>
    raw(
      `POST ${RESET} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nExpect: 100-Continue\r\nConnection: ` +
        `close\r\n${lines}\r\n${body}`,
    );
  const JSON_TYPE = 'Content-Type: application/json\r\n';

  it('lets a body come that it is going to read', async () => {
    const { head, body } = await post('{"email":"a@example.com"}', JSON_TYPE);
    expect(head).toBe('HTTP/1.1 100 Continue');
    expect(body).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('lets no body come that it refuses unread', async () => {
    expectRefusal(await post('{}', 'Content-Type: text/plain\r\n'), 415, 'unsupported_media_type');
    expectRefusal(await post(' '.repeat(65_537), JSON_TYPE), 413, 'payload_too_large');
    expectRefusal(
      await raw(`POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`),
      404,
      'not_found',
    );
  });
});
