import { inTransaction } from '@market-state/postgres';
import { waitUntil } from '@market-state/testing';
import type { RunningService } from '@market-state/service';
import { bumpRuleVersions } from '../src/store/evaluation';
import { bodiesOf, type EvaluatorBench, packetsOf, startBench, windowEndMs } from './evaluator-under-test';

let bench: EvaluatorBench;
let evaluator: RunningService;

beforeAll(async () => {
  bench = await startBench();
  evaluator = await bench.start();
});

afterAll(() => bench?.close());

/** Publishes packets and waits for their evaluation. A symbol starts at its first packet. */
async function feed(symbol: string, pattern: string, first = 1): Promise<void> {
  if (first === 1) {
    bench.publish(packetsOf(symbol, pattern.slice(0, 1)));
    await bench.seen(symbol, 1);
    if (pattern.length > 1) await feed(symbol, pattern.slice(1), 2);
    return;
  }
  bench.publish(packetsOf(symbol, pattern, first));
  await bench.seen(symbol, first + pattern.length - 1);
}

const alertsOf = async (tenantId: string) => bodiesOf(await bench.messages(tenantId));
const phasesOf = async (tenantId: string) => (await alertsOf(tenantId)).map(({ data }) => `${data['phase']} ${data['packet_sequence']}`);

it('reports a state once on entry and once on exit, with all that a reader needs', async () => {
  await bench.addRule({ ruleId: 'rul_a', tenantId: 'ten_a', symbol: 'A-PERP' });
  await feed('A-PERP', 'FTTF');
  const rows = await bench.messages('ten_a');
  const [triggered, recovered] = bodiesOf(rows);
  expect(rows).toHaveLength(2);
  expect(triggered).toMatchObject({
    type: 'alert.triggered',
    id: expect.stringMatching(/^msg_/),
    tenant_id: 'ten_a',
    timestamp: expect.stringMatching(/^2024-08-08T/),
    data: {
      watchlist_id: 'wl_rul_a',
      watchlist_kind: 'watchlist',
      watchlist_name: 'My list',
      rule_id: 'rul_a',
      symbol: 'A-PERP',
      phase: 'triggered',
      episode_id: expect.stringMatching(/^ep_/),
      transition: 1,
      condition: { kind: 'state_is', params: { states: ['depth_watch'] }, state: 'depth_watch' },
      packet_sequence: 2,
      window_end_utc: new Date(windowEndMs(2)).toISOString(),
      event_id: 'evt_A-PERP_2',
      replay_cursor: `rc1.A-PERP.${windowEndMs(2)}`,
      routes: { packet: '/api/public/market-state/packets/evt_A-PERP_2/workbench' },
      gap_ids: [],
      late: false,
      synthetic: false,
    },
    meta: { schema: 'market_state_webhook.v1', synthetic: false },
  });
  expect(recovered?.data).toMatchObject({
    phase: 'recovered',
    transition: 2,
    packet_sequence: 4,
    episode_id: triggered?.data['episode_id'],
  });
  const { state, recent } = await bench.standing('rul_a');
  expect(state).toMatchObject({ state: 'normal', transition: 2, episodeId: null });
  expect(recent.map(({ phase, from, to, at_ms: atMs }) => [phase, from, to, atMs])).toEqual([
    ['recovered', 'firing', 'normal', windowEndMs(4)],
    ['triggered', 'normal', 'firing', windowEndMs(2)],
    ['', 'unknown', 'normal', windowEndMs(1)],
  ]);
});

it('evaluates another venue of a symbol by its own rules, and names the venue', async () => {
  await bench.addRule({ ruleId: 'rul_v', tenantId: 'ten_v', symbol: 'V-PERP' });
  await bench.addRule({ ruleId: 'rul_w', tenantId: 'ten_w', symbol: 'V-PERP@okx' });
  await feed('V-PERP', 'FFF');
  await feed('V-PERP@okx', 'FTT');
  expect(await alertsOf('ten_v')).toEqual([]);
  const [triggered, ...others] = await alertsOf('ten_w');
  expect(others).toEqual([]);
  expect(triggered?.data).toMatchObject({
    ...{ symbol: 'V-PERP', venue: 'okx', packet_sequence: 2 },
    routes: { replay: expect.stringContaining('symbol=V-PERP@okx&') },
  });
  expect((await bench.messages('ten_w'))[0]?.symbol).toBe('V-PERP@okx');
});

it('evaluates pushed packets as they are, and lists those that a push has skipped', async () => {
  await bench.addRule({ ruleId: 'rul_n', tenantId: 'ten_n', symbol: 'N-PERP' });
  await feed('N-PERP', 'F');
  await settled();
  const before = bench.listings();
  for (const [index, letter] of [...'TFT'].entries()) await feed('N-PERP', letter, 2 + index);
  expect(bench.listings()).toBe(before);
  bench.storeUnpushed(packetsOf('N-PERP', 'F', 5));
  await feed('N-PERP', 'T', 6);
  expect(bench.listings()).toBe(before + 1);
  expect(await phasesOf('ten_n')).toEqual(['triggered 2', 'recovered 3', 'triggered 4', 'recovered 5', 'triggered 6']);
});

it('changes nothing by a packet that is listed again', async () => {
  await bench.addRule({ ruleId: 'rul_b', tenantId: 'ten_b', symbol: 'B-PERP' });
  await bench.addEndpoint('we_b', 'ten_b', ['packet.created B-PERP', 'alert.triggered']);
  await feed('B-PERP', 'FT');
  const read = async () => ({
    messages: await bench.messages('ten_b'),
    standing: await bench.standing('rul_b'),
    rest: (
      await bench.pool.query(
        `SELECT (SELECT count(*) FROM delivery WHERE tenant_id = 'ten_b') AS deliveries, (
             SELECT count(*) FROM payload WHERE payload_id NOT IN (SELECT payload_id FROM message WHERE tenant_id <> 'ten_b' AND payload_id IS NOT NULL)
           ) AS payloads,
           (SELECT sequence FROM packet_cursor WHERE symbol = 'B-PERP') AS sequence`,
      )
    ).rows[0] as unknown,
  });
  const before = await read();
  expect(before.rest).toEqual({ deliveries: '3', payloads: '3', sequence: '2' });
  bench.listedAgain = packetsOf('B-PERP', 'TF');
  await settled();
  expect(await read()).toEqual(before);
  bench.listedAgain = [];
  await feed('B-PERP', 'F', 3);
  expect(await phasesOf('ten_b')).toContain('recovered 3');
});

it('takes up a changed rule at the next packet', async () => {
  await bench.addRule({ ruleId: 'rul_d', tenantId: 'ten_d', symbol: 'D-PERP' });
  await feed('D-PERP', 'FT');
  await inTransaction(bench.pool, async (client) => {
    await client.query(`UPDATE rule SET min_consecutive = 3 WHERE rule_id = 'rul_d'`);
    await client.query(`UPDATE watchlist SET name = 'Renamed' WHERE watchlist_id = 'wl_rul_d'`);
    await bumpRuleVersions(client, ['D-PERP']);
  });
  await feed('D-PERP', 'FFFTTT', 3);
  expect(await phasesOf('ten_d')).toEqual(['triggered 2', 'recovered 5', 'triggered 8']);
  expect((await alertsOf('ten_d')).map(({ data }) => data['watchlist_name'])).toEqual(['My list', 'Renamed', 'Renamed']);
  await inTransaction(bench.pool, async (client) => {
    await client.query(`DELETE FROM watchlist WHERE watchlist_id = 'wl_rul_d'`);
    await bumpRuleVersions(client, ['']);
  });
  await feed('D-PERP', 'FFFTTT', 9);
  expect(await phasesOf('ten_d')).toHaveLength(3);
});

it('updates the states of a muted watchlist and sends nothing', async () => {
  await bench.addRule({ ruleId: 'rul_e', tenantId: 'ten_e', symbol: 'E-PERP', muted: true });
  await feed('E-PERP', 'FTFT');
  expect(await bench.messages('ten_e')).toEqual([]);
  const metrics = async () => (await fetch(`http://127.0.0.1:${evaluator.opsPort}/metrics`)).text();
  await waitUntil('the mute is counted', async () => /^alert_suppressed_total\{.*\} 3$/m.test(await metrics()));
  const { state, recent } = await bench.standing('rul_e');
  expect(state).toMatchObject({ state: 'firing', transition: 3 });
  expect(recent.map(({ phase }) => phase)).toEqual(['triggered', 'recovered', 'triggered', '']);
});

it('says that a packet of long ago is late', async () => {
  await bench.addRule({ ruleId: 'rul_f', tenantId: 'ten_f', symbol: 'F-PERP' });
  await bench.addEndpoint('we_f', 'ten_f', ['packet.created', 'alert.triggered']);
  await feed('F-PERP', 'F');
  const nowMs = bench.nowMs;
  bench.nowMs = windowEndMs(2) + 900_001;
  await feed('F-PERP', 'T', 2);
  bench.nowMs = nowMs;
  const { rows } = await bench.pool.query(
    `SELECT event_kind AS kind, count(delivery_id)::int AS sent FROM message LEFT JOIN delivery USING (message_id, event_kind)
     WHERE message.tenant_id = 'ten_f' GROUP BY message_id, kind, position ORDER BY position`,
  );
  expect(rows).toEqual([
    { kind: 'packet.created', sent: 1 },
    { kind: 'alert.triggered', sent: 1 },
    { kind: 'packet.created', sent: 0 },
  ]);
  expect((await alertsOf('ten_f')).map(({ data }) => data['late'])).toEqual([false, true, true]);
});

it('reports missing packets once, marks rule states, and recovers with the next packet', async () => {
  await bench.addRule({ ruleId: 'rul_g', tenantId: 'ten_g', symbol: 'G-PERP', kind: 'feed_stale', params: { seconds: 30 } });
  await bench.addRule({ ruleId: 'rul_h', tenantId: 'ten_g', symbol: 'G-PERP' });
  await feed('G-PERP', 'FF');
  const { rows } = await bench.pool.query<{ seen: string }>(`SELECT seen_ms AS seen FROM packet_cursor WHERE symbol = 'G-PERP'`);
  const seenMs = Number(rows[0]?.seen);
  bench.nowMs = seenMs + 29_999;
  await settled();
  expect(await bench.messages('ten_g')).toEqual([]);
  bench.nowMs = seenMs + 30_000;
  bench.heartbeat();
  await waitUntil('the silence was reported', async () => (await phasesOf('ten_g')).length > 0);
  expect(await phasesOf('ten_g')).toEqual(['triggered 2']);
  bench.nowMs = seenMs + 60_000;
  bench.heartbeat();
  const isMarked = async (rule: string) => (await bench.standing(rule)).state['stale'] === true;
  await waitUntil('the standings are marked', async () => (await isMarked('rul_g')) && (await isMarked('rul_h')));
  await settled();
  expect((await alertsOf('ten_g'))[0]?.data).toMatchObject({ condition: { kind: 'feed_stale', seconds: 30, no_packet: true } });
  await feed('G-PERP', 'F', 9);
  expect(await phasesOf('ten_g')).toEqual(['triggered 2', 'recovered 9']);
  for (const rule of ['rul_g', 'rul_h']) expect((await bench.standing(rule)).state).toMatchObject({ state: 'normal', stale: false });
});

let probes = 0;

/** Resolves once all known symbols were checked after this call: wake-ups are processed in order. */
async function settled(): Promise<void> {
  bench.heartbeat();
  for (let turn = 0; turn < 2; turn += 1) {
    probes += 1;
    const { nowMs } = bench;
    bench.publish(packetsOf(`Z${probes}-PERP`, 'F'));
    bench.nowMs = nowMs;
    await bench.seen(`Z${probes}-PERP`, 1);
  }
}
