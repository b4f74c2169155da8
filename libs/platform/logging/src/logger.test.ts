import { createLogger, redactText, currentRequestId, requestIdOr, withRequestContext } from './logger';

const CANARY = 'cAnArY0123456789cAnArY0123456789cAnArY01';

function loggedLine(log: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  log(createLogger('test', { level: 'trace', destination: { write: (line) => void lines.push(line) } }));
  return lines.join('');
}

test.each([
  ['an API key in the message', (l) => l.info(`key msk_live_${CANARY} refused`)],
  ['an API key deep in fields', (l) => l.info({ a: { b: [{ c: `msk_test_${CANARY}` }] } }, 'x')],
  ['a signing secret', (l) => l.info({ note: `whsec_${CANARY}=` }, 'x')],
  ['a property called password', (l) => l.info({ user: { password: `${CANARY}"\\` } }, 'x')],
  ['a property called api_key', (l) => l.info({ api_key: CANARY, apiKey: CANARY, 'x-api-key': CANARY }, 'x')],
  ['an authorization header', (l) => l.info({ headers: { authorization: `Bearer ${CANARY}` } }, 'x')],
  ['a bearer token in text', (l) => l.info(`sent Authorization: Bearer ${CANARY}`)],
  ['a cookie header list', (l) => l.info({ headers: { 'set-cookie': [`a=${CANARY}`, 'b=c'] } }, 'x')],
  ['a session cookie in text', (l) => l.info(`svc_market_state_session=${CANARY}; Path=/`)],
  ['a database URL in an error', (l) => l.error({ err: new Error(`connect postgresql://user:${CANARY}@127.0.0.1/x`) }, 'x')],
  ['the address of a Slack webhook', (l) => l.info(`POST https://hooks.slack.com/services/T0123/B0123/${CANARY}`)],
  ['the address of a Discord webhook', (l) => l.info(`POST https://discord.com/api/webhooks/1094862910712345678/${CANARY}?wait=true`)],
  ['a Discord webhook in the form of Slack', (l) => l.info(`POST https://discord.com/api/webhooks/1094862910712345678/x/${CANARY}/slack`)],
  ['the address of a Mattermost webhook', (l) => l.info(`POST https://chat.example.com/hooks/x?key=${CANARY}`)],
  ['a bot token of Telegram', (l) => l.info({ url: `https://api.telegram.org/bot123456789:${CANARY}/sendMessage` }, 'x')],
  ['a routing key', (l) => l.info({ routing_key: CANARY, routingKey: CANARY }, 'x')],
  ['a token property', (l) => l.info({ resetToken: CANARY, claim_token: CANARY }, 'x')],
] as [string, (logger: ReturnType<typeof createLogger>) => void][])('%s never reaches a log line', (_what, log) => {
  const line = loggedLine(log);
  expect(line).not.toContain(CANARY);
  expect(line).toContain('[redacted]');
  expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test('text without secrets is unchanged', () => {
  const line = loggedLine((logger) =>
    logger.info({ symbol: 'BTCUSD-PERP', key_id: 'key_1', url: 'http://127.0.0.1:80/a@b', tokens: 3 }, 'monkey business'),
  );
  expect(JSON.parse(line)).toMatchObject({
    symbol: 'BTCUSD-PERP',
    key_id: 'key_1',
    url: 'http://127.0.0.1:80/a@b',
    tokens: 3,
    msg: 'monkey business',
  });
});

test('redaction of hostile text takes linear time', () => {
  const hostile = `${'://a:'.repeat(20_000)}${'\\"'.repeat(20_000)}"password":"${'\\'.repeat(20_001)}`;
  const startedMs = performance.now();
  redactText(hostile);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});

test('the request id is in every line while a request is served, and only then', () => {
  const lines = loggedLine((logger) => {
    withRequestContext({ requestId: 'r-1' }, () => logger.info('inside'));
    logger.info('outside');
  })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]?.request_id).toBe('r-1');
  expect(lines[1]).not.toHaveProperty('request_id');
  expect(currentRequestId()).toBeUndefined();
});

test.each(['', 'a b', 'é', 'x'.repeat(129), 'a\nb', undefined])('the request id %j is replaced', (id) => {
  expect(requestIdOr(id)).toMatch(/^[0-9a-f-]{36}$/);
});

test('a sane request id is kept', () => {
  expect(requestIdOr('Req_1.2:3-4')).toBe('Req_1.2:3-4');
});

describe('repeated lines', () => {
  let lines: Record<string, unknown>[];
  let logger: ReturnType<typeof createLogger>;
  beforeEach(() => {
    jest.useFakeTimers();
    lines = [];
    logger = createLogger('test', { destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) } });
  });
  afterEach(() => jest.useRealTimers());

  function written(): unknown[] {
    return lines
      .splice(0)
      .map(({ msg, err, request_id, repeated }) => [msg, (err as { message?: string } | undefined)?.message ?? request_id, repeated]);
  }

  test('of errors of one kind one per second is written: the first immediately, then the newest with their number', () => {
    for (let index = 0; index < 150; index += 1) logger.error({ err: new Error(`no disk ${index}`) }, 'call failed');
    expect(written()).toEqual([['call failed', 'no disk 0', undefined]]);
    jest.advanceTimersByTime(1_000);
    expect(written()).toEqual([['call failed', 'no disk 149', 149]]);
    logger.error({ err: new Error('no disk 150') }, 'call failed');
    jest.advanceTimersByTime(1_000);
    expect(written()).toEqual([['call failed', 'no disk 150', 1]]);
    jest.advanceTimersByTime(2_000);
    logger.error({ err: new Error('no disk 151') }, 'call failed');
    expect(written()).toEqual([['call failed', 'no disk 151', undefined]]);
  });

  test('another message, method, symbol or reason is another kind', () => {
    logger.warn({ symbol: 'A-PERP' }, 'behind');
    logger.warn({ symbol: 'B-PERP' }, 'behind');
    logger.warn({ symbol: 'B-PERP' }, 'ahead');
    logger.error({ method: '/a/B', err: { reason: 'one' } }, 'call failed');
    logger.error({ method: '/a/B', err: { reason: 'other' } }, 'call failed');
    logger.warn('behind');
    expect(lines).toHaveLength(6);
  });

  test('a plain message is counted too, and lines below warning are all written', () => {
    for (let index = 0; index < 3; index += 1) {
      logger.warn('nearly full');
      logger.info('served');
    }
    expect(written().map((line) => (line as unknown[])[0])).toEqual(['nearly full', 'served', 'served', 'served']);
    jest.advanceTimersByTime(1_000);
    expect(written()).toEqual([['nearly full', undefined, 2]]);
  });

  test('kinds beyond the counting limit are written', () => {
    for (let index = 0; index < 1_001; index += 1) logger.error({ code: `${index}` }, 'call failed');
    logger.error({ code: '1000' }, 'call failed');
    expect(lines).toHaveLength(1_002);
  });
});
