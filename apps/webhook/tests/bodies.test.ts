import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account, createMessage, type labeling } from '@market-state/contracts';
import { silentLogger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import { waitUntil } from '@market-state/testing';
import { Ajv2020 } from 'ajv/dist/2020';
import { exhaustedDraft } from '../src/delivery/attempts';
import { disabledDraft } from '../src/delivery/update-health';
import { bodyOf, type MessageRow } from '../src/messages/message';
import { recordMessages } from '../src/messages/record-messages';
import { sendTest } from '../src/rpc/test-endpoint';
import { deleteWatchlist } from '../src/watchlists/change-watchlist';
import { bodiesOf, type EvaluatorBench, packetsOf, startBench } from './evaluator-under-test';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Reported {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>;
}
type Webhook = { readonly post: { readonly requestBody: { readonly content: { readonly 'application/json': Reported } } } };

const SYMBOL = 'BTCUSD-PERP';
const TENANT = 'ten_bodies';
const KINDS = ['packet.created', 'state.changed', 'alert.triggered', 'export.finished', 'usage.threshold_reached'];
/** Outbox payload of the export service for an ended job. */
const FINISHED = {
  job_id: 'exp_1',
  status: 'ready',
  dataset: 'packets',
  symbols: [SYMBOL],
  from_utc: '2026-11-23T00:00:00.000Z',
  to_utc: '2026-11-24T00:00:00.000Z',
  format: 'ndjson',
  row_total: 3,
  byte_total: 4,
  estimated_export_credit_cost: 1,
  observed_export_credit_cost: 1,
  credit_state: 'charged',
  receipt_id: 'rcp_1',
  created_at_utc: '2026-11-24T00:00:01.000Z',
  finished_at_utc: '2026-11-24T00:00:02.000Z',
  expires_at_utc: '2026-12-01T00:00:02.000Z',
  error: null,
};
const FAILED = {
  ...FINISHED,
  ...{ status: 'failed', row_total: null, byte_total: null, observed_export_credit_cost: null, credit_state: 'released' },
  ...{ receipt_id: null, expires_at_utc: null, error: { reason: 'rows_gone', message: 'The rows are gone.' } },
};

const file = join(import.meta.dirname, '../../gateway/openapi/openapi.json');
const document = JSON.parse(readFileSync(file, 'utf8')) as { readonly webhooks: Readonly<Record<string, Webhook>> };
const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, validateSchema: false });
ajv.addSchema(document, 'openapi');

const documentedOf = (kind: string): Reported => {
  const webhook = document.webhooks[kind];
  if (webhook === undefined) throw new Error(`the document describes no kind ${kind}`);
  return webhook.post.requestBody.content['application/json'];
};

/** Resolves a reference in the document. */
function follow<T extends { readonly $ref?: string }>(part: T): T {
  if (part.$ref === undefined) return part;
  const steps = part.$ref.replace('#/', '').split('/');
  return follow(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T);
}

/** Schema errors of a body, including fields that the schema does not describe. */
function faultsOf(body: { readonly type: string; readonly data: object; readonly meta: object }): string[] {
  const { schema } = documentedOf(body.type);
  const validate = ajv.getSchema(`openapi#/webhooks/${body.type}/post/requestBody/content/application~1json/schema`);
  if (validate === undefined) return [`no schema of ${body.type}`];
  return validate(body) === true ? undescribed(body, schema, '') : [ajv.errorsText(validate.errors)];
}

function undescribed(value: unknown, schema: Schema, slot: string): string[] {
  const { properties } = follow(schema);
  if (properties === undefined || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const described = properties[name];
    // Fields of a condition are named by the rule.
    if (described === undefined) return slot === '/data/condition' ? [] : [`${slot}/${name}`];
    return undescribed(inner, described, `${slot}/${name}`);
  });
}

let bench: EvaluatorBench;
let rows: MessageRow[];

const notifier = { notify: async () => undefined, close: async () => undefined };
const entryOf = (id: string, kind: string, payload: object) =>
  createMessage(account.OutboxEntry, { id, tenantId: TENANT, kind, occasion: id, payload: Buffer.from(JSON.stringify(payload)) });

async function feed(packets: readonly labeling.PacketRecord[]): Promise<void> {
  for (const packet of packets) {
    bench.publish([packet]);
    await bench.seen(packet.symbol, packet.sequence);
  }
}

beforeAll(async () => {
  bench = await startBench();
  await bench.addEndpoint('we_bodies', TENANT, KINDS);
  const rule = { tenantId: TENANT, symbol: SYMBOL };
  await bench.addRule({ ...rule, ruleId: 'rul_is' });
  await bench.addRule({ ...rule, ruleId: 'rul_changed', kind: 'state_changed', params: {} });
  await bench.addRule({ ...rule, ruleId: 'rul_score', kind: 'severity_at_least', params: { score: 0 } });
  await bench.start();
  await feed(packetsOf(SYMBOL, 'FTFT'));
  bench.nowMs += 3_600_000;
  bench.publish(packetsOf(SYMBOL, 'F', 5));
  bench.exportOutbox.entries = [entryOf('e1', 'export.finished', FINISHED), entryOf('e2', 'export.finished', FAILED)];
  bench.accountOutbox.entries = [
    entryOf('a1', 'usage.threshold_reached', {
      control: 'plan_credits',
      credit_kind: 'market_state',
      percent: 80,
      limit: 100,
      used: 81,
      period_from_utc: '2026-11-01T00:00:00.000Z',
      resets_at_utc: null,
    }),
  ];
  await bench.seen(SYMBOL, 5);
  await waitUntil('both outboxes are taken', () => bench.exportOutbox.entries.length + bench.accountOutbox.entries.length === 0);
  await feed(packetsOf(SYMBOL, 'T', 6));
  const deps = { pool: bench.pool, notifier, clock: () => bench.nowMs, logger: silentLogger(), stopping: AbortSignal.abort() };
  await deleteWatchlist(deps as never, { tenantId: TENANT, kind: 'watchlist', watchlistId: 'wl_rul_is' });
  const { messageId } = await sendTest(deps as never, TENANT, 'we_bodies', AbortSignal.abort());
  const ended = {
    delivery: {
      deliveryId: 'dlv_1',
      endpointId: 'we_gone',
      tenantId: TENANT,
      message: { message_id: messageId, event_kind: 'packet.created' },
    },
    result: { class: 'status_500' },
  };
  const queue = { tenantId: TENANT, endpointId: 'we_gone' };
  const drafts = [
    disabledDraft(queue as never, 'gone_410', bench.nowMs),
    disabledDraft(queue as never, 'failing_120h', bench.nowMs + 1),
    exhaustedDraft(ended as never),
  ];
  await inTransaction(bench.pool, (client) => recordMessages(client, drafts, bench.nowMs));
  rows = await bench.messages(TENANT);
}, 90_000);

afterAll(() => bench?.close());

it('are made of every kind that the document describes, and of every phase of an alert', () => {
  const bodies = bodiesOf(rows);
  expect([...new Set(bodies.map(({ type }) => type))].sort()).toEqual(Object.keys(document.webhooks).sort());
  const phases = bodies.filter(({ type }) => type === 'alert.triggered').map(({ data }) => data['phase']);
  expect([...new Set(phases)].sort()).toEqual(['ended', 'recovered', 'triggered']);
  expect(bodies.filter(({ type, data }) => type === 'packet.created' && data['late'] === true)).not.toEqual([]);
});

it('are the same bytes whether members are shared with other messages or not', () => {
  const texts = rows.map((row) =>
    bodyOf(row)
      .toString()
      .replaceAll(/(msg|ep)_\w+/g, '$1_'),
  );
  expect(texts.sort().join('\n')).toMatchSnapshot();
});

it('keep to the schema of their kind, and have no member that it does not describe', () => {
  expect(bodiesOf(rows).map((body) => ({ type: body.type, faults: faultsOf(body) }))).toEqual(
    rows.map(({ event_kind: type }) => ({ type, faults: [] })),
  );
});

it('keep to it when they are too large to be sent whole', () => {
  const ofPackets = rows.filter(({ symbol }) => symbol !== '');
  const thin = bodiesOf(
    ofPackets.map((row) => ({ ...row, data: { ...row.data, gap_ids: Array.from({ length: 900 }, () => 'g'.repeat(40)) } })),
  );
  expect(thin.map(({ data }) => data['thin'])).toEqual(thin.map(() => true));
  expect(thin.flatMap(faultsOf)).toEqual([]);
  for (const row of ofPackets) expect(bodyOf(row).length).toBeLessThanOrEqual(20 * 1_024);
});

it.each(Object.keys(document.webhooks))('%s is shown by an example that has what is sent', (kind) => {
  const examples = Object.values(documentedOf(kind).examples).map(
    (example) => follow(example).value as { type: string; data: object; meta: object },
  );
  expect(examples.flatMap(faultsOf)).toEqual([]);
  const [example] = examples;
  const sent = bodiesOf(rows.filter(({ event_kind: ofKind }) => ofKind === kind));
  expect(sent.map(({ data }) => Object.keys(data).sort())).toContainEqual(Object.keys(example?.data ?? {}).sort());
});

it('are refused with a member less or of another type', () => {
  for (const body of bodiesOf(rows)) {
    expect(faultsOf({ ...body, data: {} })).not.toEqual([]);
    expect(faultsOf({ ...body, meta: {} })).not.toEqual([]);
    expect(faultsOf({ ...body, data: { ...body.data, side: 'buy' } })).toEqual(['/data/side']);
  }
});
