import { spawnSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { type Snippet, type SnippetCall, snippetsOf, variable } from './index';

const BASE = 'https://api.example.com';

const HISTORY: SnippetCall = {
  method: 'GET',
  route: '/api/public/market-state/history',
  sdkName: 'history.get',
  takesKey: true,
  places: {},
  query: { symbol: 'BTCUSD-PERP', from: '2026-11-25T12:00:00Z', limit: 5 },
};

function codeOf(call: SnippetCall): Readonly<Partial<Record<Snippet['name'], string>>> {
  return Object.fromEntries(snippetsOf(call, BASE).map(({ name, code }) => [name, code]));
}

test('a read is one line each, with the key from the environment', () => {
  expect(codeOf(HISTORY)).toEqual({
    curl: `curl \\
  -H "x-market-state-api-key: $MARKET_STATE_API_KEY" \\
  'https://api.example.com/api/public/market-state/history?symbol=BTCUSD-PERP&from=2026-11-25T12:00:00Z&limit=5'`,
    TypeScript: "const { data, call } = await ms.history.get({ symbol: 'BTCUSD-PERP', from: '2026-11-25T12:00:00Z', limit: 5 });",
    Python: 'answer = ms.history.get(symbol="BTCUSD-PERP", from_="2026-11-25T12:00:00Z", limit=5)',
    'Command line': `market-state get '/api/public/market-state/history?symbol=BTCUSD-PERP&from=2026-11-25T12:00:00Z&limit=5'`,
  });
});

test('what the reader fills in is a variable of each language', () => {
  const call: SnippetCall = {
    method: 'POST',
    route: '/hooks/{webhook_id}/resend',
    sdkName: 'webhooks.resendEvent',
    takesKey: true,
    places: { webhook_id: variable('WEBHOOK_ID') },
    query: {},
    body: { event_id: variable('EVENT_ID'), rules: [{ kind: 'state_changed' }], muted: true, cap: null },
  };
  expect(codeOf(call)).toEqual({
    curl: String.raw`curl -X POST \
  -H "x-market-state-api-key: $MARKET_STATE_API_KEY" \
  -H 'content-type: application/json' \
  -d "{\"event_id\":\"$EVENT_ID\",\"rules\":[{\"kind\":\"state_changed\"}],\"muted\":true,\"cap\":null}" \
  "https://api.example.com/hooks/$WEBHOOK_ID/resend"`,
    TypeScript:
      "const { data, call } = await ms.webhooks.resendEvent({ webhook_id: webhookId, event_id: eventId, rules: [{ kind: 'state_changed' }], muted: true, cap: null });",
    Python:
      'answer = ms.webhooks.resend_event(webhook_id=webhook_id, event_id=event_id, rules=[{"kind": "state_changed"}], muted=True, cap=None)',
  });
});

test('a stream takes symbols and a list of channels, and gives messages', () => {
  const call = { ...HISTORY, sdkName: 'stream.data', query: { symbol: 'ALL', channels: 'book,trades', conflate_ms: 500 } };
  expect(codeOf(call)).toMatchObject({
    TypeScript:
      "for await (const message of ms.stream.data({ symbols: 'ALL', channels: ['book', 'trades'], conflateMs: 500 })) console.log(message);",
    Python:
      'with ms.stream.data(symbols="ALL", channels=["book", "trades"], conflate_ms=500) as messages:\n    for message in messages:\n        print(message)',
  });
  expect(codeOf(call)).not.toHaveProperty('Command line');
});

const AWKWARD = [`it's`, '$(id)', '`id`', '$HOME', String.raw`a\b"c`, 'a, b: null true', 'x\ny', '! ~ * #'];

test.each(AWKWARD)('the shell, Python and TypeScript read %j as it is', (value) => {
  const call: SnippetCall = { ...HISTORY, method: 'POST', query: {}, body: { note: value, list: [value], id: variable('THE_ID') } };
  const { curl = '', Python = '', TypeScript = '' } = codeOf(call);
  const shell = `curl() { printf '%s\\0' "$@"; }\n${curl}`;
  const { stdout } = spawnSync('sh', ['-c', shell], { env: { MARKET_STATE_API_KEY: 'key', THE_ID: 'evt_1' }, encoding: 'utf8' });
  const args = stdout.split('\0');
  expect(JSON.parse(args[args.indexOf('-d') + 1] ?? '')).toEqual({ note: value, list: [value], id: 'evt_1' });
  const plain = codeOf({ ...HISTORY, method: 'POST', query: {}, body: { note: value } });
  const single = spawnSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${plain.curl}`], { env: {}, encoding: 'utf8' });
  expect(single.stdout.split('\0')).toContain(JSON.stringify({ note: value }));
  expect(Python).toContain(`note=${JSON.stringify(value)}`);
  const [, literal = ''] = /\(\{ note: (.*), list:/s.exec(TypeScript) ?? [];
  expect(runInNewContext(literal)).toBe(value);
});

test.each(AWKWARD)('an address with %j keeps it', (value) => {
  const { curl = '' } = codeOf({ ...HISTORY, query: { q: value } });
  const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${curl}`], { env: {}, encoding: 'utf8' });
  const address = stdout.split('\0').find((each) => each.startsWith(BASE)) ?? '';
  expect(new URL(address).searchParams.get('q')).toBe(value);
});
