import { account, createMessage } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import type { RunningService } from '@market-state/service';
import { bodiesOf, type EvaluatorBench, packetsOf, startBench } from './evaluator-under-test';
import { storeEndpoints } from './stored-endpoint';

let bench: EvaluatorBench;

beforeAll(async () => {
  bench = await startBench();
});

afterAll(() => bench?.close());

const phasesOf = async (tenantId: string) =>
  bodiesOf(await bench.messages(tenantId)).map(({ data }) => `${data['phase']} ${data['packet_sequence']}`);

/** Metrics are counted after the commit that tests wait for. */
async function counted({ opsPort }: RunningService, line: RegExp): Promise<void> {
  await waitUntil(`the metric ${line}`, async () => line.test(await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text()));
}

async function begin(symbol: string, letter = 'F'): Promise<void> {
  bench.publish(packetsOf(symbol, letter));
  await bench.seen(symbol, 1);
}

it('reports silence while labeling is unavailable, also after a restart', async () => {
  await bench.addRule({ ruleId: 'rul_a', tenantId: 'ten_a', symbol: 'A-PERP', kind: 'feed_stale', params: { seconds: 30 } });
  const first = await bench.start();
  await begin('A-PERP');
  await first.close();
  bench.isLabelingAway = true;
  bench.nowMs += 40_000;
  const second = await bench.start();
  await waitUntil('the silence was reported', async () => (await phasesOf('ten_a')).length > 0);
  expect(await phasesOf('ten_a')).toEqual(['triggered 1']);
  bench.isLabelingAway = false;
  await second.close();
});

it('reports an unevaluated span without packets, as the rehearsal does', async () => {
  await bench.addRule({ ruleId: 'rul_b', tenantId: 'ten_b', symbol: 'B-PERP', kind: 'feed_stale', params: { seconds: 30 } });
  const evaluator = await bench.start();
  await begin('B-PERP');
  await evaluator.close();
  bench.publish(packetsOf('B-PERP', 'FF', 9));
  const again = await bench.start();
  await bench.seen('B-PERP', 10);
  expect(await phasesOf('ten_b')).toEqual(['triggered 1', 'recovered 9']);
  const { recent } = await bench.standing('rul_b');
  const atMs = recent.map(({ at_ms: at }) => Number(at));
  expect((atMs[0] ?? 0) - (atMs[1] ?? 0)).toBe(50_000);
  await again.close();
});

it('continues when labeling restarts its packet numbers', async () => {
  await bench.addRule({ ruleId: 'rul_c', tenantId: 'ten_c', symbol: 'C-PERP', minConsecutive: 2 });
  const evaluator = await bench.start();
  await begin('C-PERP');
  bench.publish(packetsOf('C-PERP', 'FFFFT', 2));
  await bench.seen('C-PERP', 6);
  const afterRestart = packetsOf('C-PERP', 'TTF', 7).map((packet, index) => ({ ...packet, sequence: index + 1 }));
  bench.publish(afterRestart);
  await waitUntil('the new numbers were looked at', async () => {
    const { rows } = await bench.pool.query<{ sequence: string }>(`SELECT sequence FROM packet_cursor WHERE symbol = 'C-PERP'`);
    return rows[0]?.sequence === '3';
  });
  expect(await phasesOf('ten_c')).toEqual(['triggered 2']);
  const { rows } = await bench.pool.query(`SELECT sequence::int FROM rule_input WHERE symbol = 'C-PERP' ORDER BY window_end_ms`);
  expect(rows.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 3]);
  await evaluator.close();
});

it('drops an entry that cannot become a message, and sends the others immediately', async () => {
  const entry = (id: string, payload: string, tenantId = 'ten_d') =>
    createMessage(account.OutboxEntry, { id, tenantId, kind: 'usage.threshold_reached', occasion: id, payload: Buffer.from(payload) });
  bench.accountOutbox.entries = [
    entry('broken', '{"percent":'),
    entry('first', '{"percent":50}'),
    entry('no members', '[1]'),
    entry('no name', '{"percent":60}', 'ten_\0'),
    entry('last', '{"percent":80}'),
  ];
  const evaluator = await bench.start();
  await waitUntil('the others are sent', async () => (await bench.messages('ten_d')).length === 2);
  await waitUntil('the outbox is empty', () => bench.accountOutbox.entries.length === 0);
  expect(bench.accountOutbox.acknowledged).toEqual(['first', 'last', 'broken', 'no members', 'no name']);
  await counted(evaluator, /^webhook_outbox_skipped_total\{.*kind="usage.threshold_reached".*\} 3$/m);
  await evaluator.close();
});

it('leaves out what a plan has no more of on the day, but no alert, and begins again on the next', async () => {
  await bench.addEndpoint('we_e', 'ten_e', ['packet.created E-PERP', 'alert.triggered']);
  await bench.addRule({ ruleId: 'rul_e', tenantId: 'ten_e', symbol: 'E-PERP' });
  await bench.pool.query(`UPDATE endpoint SET plan_id = 'public_builder' WHERE endpoint_id = 'we_e'`);
  const evaluator = await bench.start();
  await begin('E-PERP');
  await bench.pool.query(`UPDATE message_order SET about_packets = 19999 WHERE tenant_id = 'ten_e'`);
  bench.publish(packetsOf('E-PERP', 'TF', 2));
  await bench.seen('E-PERP', 3);
  const kinds = async () => (await bench.messages('ten_e')).map(({ event_kind: kind }) => kind);
  expect(await kinds()).toEqual(['packet.created', 'alert.triggered', 'packet.created', 'alert.triggered']);
  const { nowMs } = bench;
  bench.nowMs += 86_400_000;
  bench.publish(packetsOf('E-PERP', 'F', 4));
  await bench.seen('E-PERP', 4);
  bench.nowMs = nowMs;
  expect(await kinds()).toHaveLength(5);
  await counted(evaluator, /^webhook_messages_left_out_total\{.*\} 1$/m);
  await evaluator.close();
});

it('counts the day by the plan that its tenant has changed to, also for an endpoint that was made a moment later under the one before', async () => {
  const change = (id: string, planId: string, createdTsMs: number) =>
    createMessage(account.OutboxEntry, {
      id,
      tenantId: 'ten_p',
      kind: 'plan.changed',
      occasion: id,
      payload: Buffer.from(JSON.stringify({ plan_id: planId })),
      createdTsMs,
    });
  const planOf = async (endpointId: string) =>
    (await bench.pool.query<{ plan: string }>('SELECT plan_id AS plan FROM endpoint WHERE endpoint_id = $1', [endpointId])).rows[0]?.plan;
  await bench.addEndpoint('we_p', 'ten_p', ['packet.created P-PERP']);
  await bench.pool.query(`UPDATE endpoint SET plan_id = 'public_builder' WHERE endpoint_id = 'we_p'`);
  const evaluator = await bench.start();
  await begin('P-PERP');
  await bench.pool.query(`UPDATE message_order SET about_packets = 20000 WHERE tenant_id = 'ten_p'`);
  const reported = async () => (await bench.messages('ten_p')).length;
  const before = await reported();
  bench.publish(packetsOf('P-PERP', 'F', 2));
  await bench.seen('P-PERP', 2);
  expect(await reported()).toBe(before);

  bench.accountOutbox.entries = [change('p1', 'public_pro', bench.nowMs - 60_000), change('p2', 'public_research', bench.nowMs)];
  await waitUntil('the change is taken', async () => (await planOf('we_p')) === 'public_research');
  bench.publish(packetsOf('P-PERP', 'F', 3));
  await bench.seen('P-PERP', 3);
  expect(await reported()).toBe(before + 1);

  await bench.addEndpoint('we_later', 'ten_p', []);
  await bench.pool.query(`UPDATE endpoint SET plan_id = 'public_builder' WHERE endpoint_id = 'we_later'`);
  await waitUntil('it is under the new plan too', async () => (await planOf('we_later')) === 'public_research');
  expect(bench.accountOutbox.acknowledged).not.toContain('p2');
  bench.nowMs += 10_000;
  await waitUntil('the change is done with', () => bench.accountOutbox.acknowledged.includes('p2'));
  await evaluator.close();
});

it('leaves more than 200 deliveries to the fan-out, however few their tenants are', async () => {
  await storeEndpoints(
    bench.pool,
    ...Array.from({ length: 201 }, (_, n) => ({ endpointId: `we_f_${n}`, tenantId: `ten_f_${n % 3}`, topics: ['packet.created F-PERP'] })),
  );
  const evaluator = await bench.start();
  await begin('F-PERP');
  await waitUntil('all is fanned out', async () => {
    const { rowCount } = await bench.pool.query(`SELECT 1 FROM delivery WHERE endpoint_id LIKE 'we_f_%'`);
    return rowCount === 201;
  });
  const { rows } = await bench.pool.query(
    `SELECT DISTINCT message.xmin = payload.xmin AS together FROM message JOIN payload USING (payload_id) WHERE symbol = 'F-PERP'`,
  );
  expect(rows).toEqual([{ together: false }]);
  await evaluator.close();
});
