import { useRecordingService } from './recording-service';

const id = (prefix: string): string => `${prefix}${'0'.repeat(26)}`;
const RULE = { kind: 'state_is', params: { states: ['fragile_depth_watch'] } };
const RULE_RECORD = { ...RULE, rule_id: id('rul_'), standings: [{ symbol: 'BTCUSD-PERP', state: 'armed' }] };
const ALERT = { alert_id: id('al_'), name: 'mine', symbol: 'BTCUSD-PERP', rule: RULE_RECORD, muted: false, created_at_utc: 't' };

const service = useRecordingService();

async function callOf(...args: readonly string[]): Promise<unknown> {
  const { exitCode, stderr } = await service.place.run(...args);
  expect([args, exitCode, stderr]).toEqual([args, 0, expect.anything()]);
  return service.sent.at(-1);
}

test('alerts are listed with the state of their rule, created, muted and deleted', async () => {
  service.answer = { alerts: [ALERT], row_total: 1, next_cursor: null };
  const { stdout } = await service.place.run('alerts', 'list', '--output', 'table');
  expect(stdout).toContain('armed');
  service.answer = ALERT;
  const json = await service.place.run('alerts', 'create', 'BTCUSD-PERP', '--rule', JSON.stringify(RULE), '--output', 'json');
  expect(JSON.parse(json.stdout)).toEqual(ALERT);
  expect(service.sent.at(-1)).toEqual({ call: 'POST /alerts', body: { name: 'BTCUSD-PERP', symbol: 'BTCUSD-PERP', rule: RULE } });
  expect(await callOf('alerts', 'show', ALERT.alert_id)).toEqual({ call: `GET /alerts/${ALERT.alert_id}`, body: undefined });
  expect(await callOf('alerts', 'mute', ALERT.alert_id)).toEqual({ call: `PATCH /alerts/${ALERT.alert_id}`, body: { muted: true } });
  expect(await callOf('alerts', 'unmute', ALERT.alert_id)).toMatchObject({ body: { muted: false } });
  expect(await callOf('alerts', 'delete', ALERT.alert_id)).toMatchObject({ call: `DELETE /alerts/${ALERT.alert_id}` });
});

test('a watchlist takes several symbols and a file of rules', async () => {
  service.place.write('rules.json', JSON.stringify([RULE, RULE]));
  const args = ['watchlists', 'create', 'BTCUSD-PERP', 'ETHUSD-PERP', '--name', 'majors', '--rules', 'rules.json'];
  expect(await callOf(...args)).toEqual({
    call: 'POST /watchlists',
    body: { name: 'majors', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'], rules: [RULE, RULE] },
  });
  expect(await callOf('watchlists', 'delete', id('wl_'))).toMatchObject({ call: `DELETE /watchlists/${id('wl_')}` });
});

test('searches are saved with the conditions of search, listed, run and deleted', async () => {
  const ss = id('ss_');
  const query = { symbol: 'BTCUSD-PERP', venue: 'okx', q: 'thin', state: 'fragile_depth_watch', tag: ['a:b:c', 'd:e:f'] };
  const conditions = ['--symbol', 'BTCUSD-PERP', '--venue', 'okx', '--state', 'fragile_depth_watch', '--tag', 'a:b:c,d:e:f'];
  expect(await callOf('searches', 'save', 'mine', 'thin', ...conditions)).toEqual({
    call: 'POST /saved-searches',
    body: { name: 'mine', query },
  });
  expect(await callOf('searches', 'save', 'all of a day', '--from', '2026-11-29', '--to', '2026-11-30')).toMatchObject({
    body: { query: { symbol: 'ALL', from: '2026-11-29T00:00:00.000Z', to: '2026-11-30T00:00:00.000Z' } },
  });
  service.answer = { saved_searches: [{ saved_search_id: ss, name: 'mine', query, created_at_utc: 't' }], row_total: 1, next_cursor: null };
  expect((await service.place.run('searches', 'list', '--output', 'table')).stdout).toContain('fragile_depth_watch');
  service.answer = { rows: [{ symbol: 'BTCUSD-PERP', window_end_utc: 't', state: 'depth_watch' }], next_cursor: null };
  const { stdout } = await service.place.run('searches', 'run', ss, '--limit', '5', '--fields', 'symbol,state', '--output', 'csv');
  expect(stdout).toBe('symbol,state\nBTCUSD-PERP,depth_watch\n');
  expect(service.sent.at(-1)).toMatchObject({ call: `GET /saved-searches/${ss}/results?view=compact&limit=5` });
  expect(await callOf('searches', 'show', ss)).toMatchObject({ call: `GET /saved-searches/${ss}` });
  expect(await callOf('searches', 'delete', ss)).toMatchObject({ call: `DELETE /saved-searches/${ss}` });
});

test('webhooks are created, tested, rotated and recovered, and their messages read and sent again', async () => {
  expect(await callOf('webhooks', 'create', '--address', 'https://hooks.example.com/', '--symbols', 'BTCUSD-PERP')).toEqual({
    call: 'POST /webhooks',
    body: { kind: 'webhook', url: 'https://hooks.example.com/', event_kinds: ['alert.triggered'], symbols: ['BTCUSD-PERP'] },
  });
  const we = id('we_');
  expect(await callOf('webhooks', 'test', we)).toMatchObject({ call: `POST /webhooks/${we}/test` });
  expect(await callOf('webhooks', 'rotate', we, '--grace-hours', '1')).toMatchObject({ body: { grace_hours: 1 } });
  expect(await callOf('webhooks', 'recover', we, '--since', '2026-11-30T00:00:00Z')).toEqual({
    call: `POST /webhooks/${we}/recover`,
    body: { since: '2026-11-30T00:00:00.000Z' },
  });
  expect(await callOf('webhooks', 'resend', id('whk_'), '--to', we)).toEqual({
    call: `POST /webhooks/events/${id('whk_')}/resend`,
    body: { webhook_id: we },
  });
  service.answer = {
    events: [{ type: 'alert.triggered', timestamp: 't', id: id('whk_'), data: { symbol: 'BTCUSD-PERP' } }],
    next_cursor: null,
  };
  const { stdout } = await service.place.run('webhooks', 'messages', '--kinds', 'alert.triggered', '--limit', '1', '--output', 'csv');
  expect(stdout).toBe(`timestamp,type,data.symbol,id\nt,alert.triggered,BTCUSD-PERP,${id('whk_')}\n`);
  service.answer = { attempts: [], row_total: 0, next_cursor: null };
  expect(await callOf('webhooks', 'deliveries', '--outcome', 'failed', '--webhook', we)).toMatchObject({
    call: expect.stringMatching(/outcome=failed/) as unknown,
  });
});

test('a dry run sends no change', async () => {
  service.answer = { estimated_market_state_credit_cost: 0 };
  expect((await service.place.run('alerts', 'delete', ALERT.alert_id, '--dry-run')).exitCode).toBe(0);
  expect(service.sent.filter(({ call }) => call.startsWith('DELETE'))).toEqual([]);
});

test.each([
  [['alerts', 'create', 'BTC', '--rule', '{}'], 'Did you mean BTCUSD-PERP?'],
  [['alerts', 'create', 'BTCUSD-PERP', '--rule', '[{},{}]'], 'an alert has one rule, not 2'],
  [['alerts', 'create', 'BTCUSD-PERP'], 'use either --rule or --rules'],
  [['alerts', 'delete', 'mine'], 'market-state alerts list'],
  [['searches', 'save'], 'name the search'],
  [['searches', 'save', 'mine', 'two', 'words'], 'quote several words'],
  [['searches', 'run', 'mine'], 'market-state searches list'],
  [['webhooks', 'recover', id('we_')], '--since'],
  [['webhooks', 'delete', id('we_'), 'more'], 'unexpected arguments: more'],
])('%j is refused before anything is sent', async (args, sentence) => {
  const { exitCode, stderr } = await service.place.run(...args);
  expect([exitCode, stderr, service.sent]).toEqual([2, expect.stringContaining(sentence), []]);
});
