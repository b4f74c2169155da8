import { account, createMessage } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { Registry } from 'prom-client';
import { createEvaluatorMetrics } from '../src/evaluation/evaluator-deps';
import { fanOut } from '../src/evaluation/fan-out';
import { insertFanout, insertPayloads } from '../src/store/messages';
import { bodiesOf, type EvaluatorBench, type FakeOutbox, packetsOf, startBench } from './evaluator-under-test';
import { storeEndpoints } from './stored-endpoint';

let bench: EvaluatorBench;

beforeAll(async () => {
  bench = await startBench();
  await bench.start();
});

afterAll(() => bench?.close());

async function feed(symbol: string, pattern: string): Promise<void> {
  for (const packet of packetsOf(symbol, pattern)) {
    bench.publish([packet]);
    await bench.seen(symbol, packet.sequence);
  }
}

/** Endpoints that were sent a kind of a symbol, with repetitions. */
async function sentTo(kind: string, symbol: string): Promise<string[]> {
  const { rows } = await bench.pool.query<{ id: string }>(
    `SELECT delivery.endpoint_id AS id FROM delivery JOIN message USING (message_id) WHERE message.event_kind = $1 AND symbol = $2 ORDER BY id`,
    [kind, symbol],
  );
  return rows.map(({ id }) => id);
}

async function numberOf(sql: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await bench.pool.query<{ total: number }>(`SELECT count(*)::int AS total ${sql}`, [...values]);
  return rows[0]?.total ?? NaN;
}

it('sends packets and state changes to subscribers only, from one payload', async () => {
  await bench.addEndpoint('we_all', 'ten_all', ['packet.created', 'state.changed']);
  await bench.addEndpoint('we_one', 'ten_one', ['packet.created P-PERP']);
  await bench.addEndpoint('we_two', 'ten_one', ['packet.created', 'packet.created P-PERP']);
  await bench.addEndpoint('we_other', 'ten_other', ['packet.created Q-PERP', 'alert.triggered']);
  await bench.addEndpoint('we_off', 'ten_off', ['packet.created', 'state.changed'], 'disabled');
  await bench.addEndpoint('we_new', 'ten_new', ['packet.created', 'state.changed'], 'test_pending');
  await feed('P-PERP', 'FT');
  expect(await sentTo('packet.created', 'P-PERP')).toEqual(['we_all', 'we_all', 'we_one', 'we_one', 'we_two', 'we_two']);
  expect(await sentTo('state.changed', 'P-PERP')).toEqual(['we_all']);
  expect(await numberOf(`FROM message WHERE tenant_id IN ('ten_other', 'ten_off', 'ten_new')`)).toBe(0);
  expect(await numberOf('FROM (SELECT DISTINCT payload_id FROM message WHERE payload_id IS NOT NULL) AS p')).toBe(3);
  expect(await numberOf('FROM payload')).toBe(3);
  const created = bodiesOf(await bench.messages('ten_all'));
  expect(created.map(({ type, data }) => [type, data['packet_sequence'], data['state'], data['previous_state']])).toEqual([
    ['packet.created', 1, 'pressure_building', undefined],
    ['packet.created', 2, 'depth_watch', undefined],
    ['state.changed', 2, 'depth_watch', 'pressure_building'],
  ]);
  const [one] = bodiesOf(await bench.messages('ten_one'));
  expect(one).toMatchObject({ tenant_id: 'ten_one', data: created[0]?.data, meta: created[0]?.meta });
  const due = await numberOf(`FROM lane WHERE next_due_ms IS NOT NULL AND rung_ms IS NOT NULL`);
  expect(due).toBe(3);
});

it('leaves more than 200 tenants to the fan-out: each endpoint is sent each packet once', async () => {
  await addMany(1_250, 'R-PERP');
  await feed('R-PERP', 'FF');
  await waitUntil('all is fanned out', async () => (await numberOf('FROM fanout')) === 0);
  expect(await numberOf(`FROM message WHERE symbol = 'R-PERP' AND tenant_id LIKE 'many_%'`)).toBe(2_500);
  expect(await numberOf(`FROM delivery JOIN message USING (message_id) WHERE symbol = 'R-PERP' AND endpoint_id LIKE 'we_many_%'`)).toBe(
    2_500,
  );
  expect(
    await numberOf(
      `FROM (SELECT 1 FROM delivery JOIN message USING (message_id) WHERE symbol = 'R-PERP' GROUP BY endpoint_id, occasion HAVING count(*) > 1) AS d`,
    ),
  ).toBe(0);
  expect(await numberOf(`FROM (SELECT DISTINCT payload_id FROM message WHERE symbol = 'R-PERP') AS p`)).toBe(2);
});

it('sends each endpoint one message when two fan out at once', async () => {
  await addMany(1_250, 'S-PERP');
  for (const each of ['s1', 's2']) {
    await insertPayloads(bench.pool, [{ payloadId: `pay_${each}`, data: { each }, meta: {} }], 1);
    const shared = { eventKind: 'packet.created', symbol: 'S-PERP', afterTenantId: '', pullOnly: false };
    await insertFanout(bench.pool, { ...shared, fanoutId: `fan_${each}`, payloadId: `pay_${each}`, occasion: each }, 1);
  }
  const deps = {
    pool: bench.pool,
    notifier: { notify: async () => undefined },
    clock: () => bench.nowMs,
    metrics: createEvaluatorMetrics(new Registry()),
  } as never;
  const run = async (): Promise<void> => {
    while (await fanOut(deps));
  };
  await Promise.all([run(), run(), run()]);
  await waitUntil('all is fanned out', async () => (await numberOf('FROM fanout')) === 0);
  const sent = await sentTo('packet.created', 'S-PERP');
  const many = sent.filter((id) => id.startsWith('we_many_S-PERP'));
  expect([many.length, new Set(many).size]).toEqual([2_500, 1_250]);
});

it('makes one message of an outbox entry that is given twice, and acknowledges it', async () => {
  const entry = (id: string, kind: string, payload: object) =>
    createMessage(account.OutboxEntry, { id, tenantId: 'ten_out', kind, occasion: id, payload: Buffer.from(JSON.stringify(payload)) });
  await bench.addEndpoint('we_out', 'ten_out', ['export.finished', 'usage.threshold_reached']);
  Object.assign(bench.exportOutbox, { lost: 1, entries: [entry('e1', 'export.finished', { job_id: 'exp_1', status: 'ready' })] });
  Object.assign(bench.accountOutbox, {
    lost: 1,
    entries: [entry('a1', 'usage.threshold_reached', { percent: 80 }), entry('a2', 'something.else', {})],
  });
  const isAccepted = ({ entries }: FakeOutbox): boolean => entries.length === 0;
  await waitUntil('both are taken', () => isAccepted(bench.exportOutbox) && isAccepted(bench.accountOutbox));
  expect(bench.exportOutbox.acknowledged).toEqual(['e1', 'e1']);
  expect(bench.accountOutbox.acknowledged).toEqual(['a1', 'a2', 'a1', 'a2']);
  const reported = bodiesOf(await bench.messages('ten_out')).map(({ type, data }) => ({ type, data }));
  expect(reported.sort((one, other) => one.type.localeCompare(other.type))).toEqual([
    {
      type: 'export.finished',
      data: {
        job_id: 'exp_1',
        status: 'ready',
        routes: { job: '/api/public/data/export/jobs/exp_1', result: '/api/public/data/export/jobs/exp_1/result' },
      },
    },
    { type: 'usage.threshold_reached', data: { percent: 80 } },
  ]);
  expect(await numberOf(`FROM delivery WHERE endpoint_id = 'we_out'`)).toBe(2);
});

/** Adds a live endpoint to each of many tenants. */
async function addMany(total: number, symbol: string): Promise<void> {
  await storeEndpoints(
    bench.pool,
    ...Array.from({ length: total }, (_, n) => ({
      endpointId: `we_many_${symbol}_${n + 1}`,
      tenantId: `many_${symbol}_${n + 1}`,
      topics: [`packet.created ${symbol}`],
    })),
  );
}
