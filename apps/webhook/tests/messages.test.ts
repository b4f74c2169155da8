import { webhook } from '@market-state/contracts';
import { silentLogger } from '@market-state/logging';
import { type HooksUnderTest, PUBLIC_URL, startHooksUnderTest, TENANT } from './hooks-under-test';

const DAY_MS = 86_400_000;

let test: HooksUnderTest;

beforeAll(async () => {
  test = await startHooksUnderTest(silentLogger());
});

afterAll(() => test?.close());

const list = (request: Partial<webhook.ListMessagesRequest>) =>
  test.messages.listMessages({ tenantId: TENANT, eventKinds: [], pageSize: 0, pageToken: '', waitMs: 0, ...request });
const idsOf = ({ messages }: webhook.ListMessagesResponse) => messages.map(({ messageId }) => messageId);

it('gives messages in the order of the tenant, and a token that moves by what it gave', async () => {
  const tenantId = 'ten_order';
  const none = await list({ tenantId });
  expect(idsOf(none)).toEqual([]);
  const reported = await test.report(...Array.from({ length: 7 }, () => ({ tenantId })));
  const seen: string[] = [];
  let { nextPageToken: pageToken } = none;
  for (;;) {
    const page = await list({ tenantId, pageSize: 3, pageToken });
    if (page.messages.length === 0) {
      expect(page.nextPageToken).toBe(pageToken);
      break;
    }
    seen.push(...idsOf(page));
    ({ nextPageToken: pageToken } = page);
  }
  expect(seen).toEqual(reported);
  const other = await test.report({ tenantId, eventKind: 'alert.triggered' });
  expect(idsOf(await list({ tenantId, pageToken, eventKinds: ['export.finished'] }))).toEqual([]);
  expect(idsOf(await list({ tenantId, eventKinds: ['alert.triggered'] }))).toEqual(other);
  expect(idsOf(await list({ tenantId, pageToken }))).toEqual(other);
});

it('starts after the newest message where that is asked for, but not with a token', async () => {
  const tenantId = 'ten_newest';
  const [first] = await test.report({ tenantId }, { tenantId });
  const { messages, nextPageToken: pageToken } = await list({ tenantId, fromNewest: true });
  expect(messages).toEqual([]);
  const later = await test.report({ tenantId });
  expect(idsOf(await list({ tenantId, pageToken }))).toEqual(later);
  expect(idsOf(await list({ tenantId, pageToken: '', pageSize: 1 }))).toEqual([first]);
});

it('writes bodies as they are sent', async () => {
  const [messageId = ''] = await test.report({ data: { job_id: 'exp_1', rows: 1.5 }, meta: { synthetic: true } });
  const { message } = await test.messages.getMessage({ tenantId: TENANT, messageId });
  expect(JSON.parse(Buffer.from(message?.body ?? []).toString())).toMatchObject({
    type: 'export.finished',
    id: messageId,
    tenant_id: TENANT,
    data: { job_id: 'exp_1', rows: 1.5 },
  });
  const listed = (await list({ pageSize: 1_000 })).messages.find((one) => one.messageId === messageId);
  expect(Buffer.from(listed?.body ?? [])).toEqual(Buffer.from(message?.body ?? []));
});

it('waits for a message, and no longer than it is asked to', async () => {
  const tenantId = 'ten_wait';
  const { nextPageToken: pageToken } = await list({ tenantId });
  const waiting = list({ tenantId, pageToken, waitMs: 20_000 });
  const reported = await test.report({ tenantId });
  expect(idsOf(await waiting)).toEqual(reported);
  const again = await list({ tenantId, pageToken, eventKinds: ['webhook.test'], waitMs: 300 });
  expect(again).toEqual({ messages: [], nextPageToken: pageToken });
  const leaving = new AbortController();
  const left = test.messages.listMessages(
    { tenantId, eventKinds: ['webhook.test'], pageSize: 0, pageToken, waitMs: 20_000 },
    { signal: leaving.signal },
  );
  // Answered after the previous call has arrived.
  await list({ tenantId });
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'CANCELLED' });
});

it('knows its own tokens, of the same tenant', async () => {
  const { nextPageToken: pageToken } = await list({ tenantId: 'ten_token' });
  for (const request of [{ pageToken }, { pageToken: 'W10' }]) {
    await expect(list(request)).rejects.toMatchObject({ faults: [{ field: 'page_token' }] });
  }
  const bad = list({ eventKinds: ['x'], pageSize: 1_001, waitMs: 20_001 });
  await expect(bad).rejects.toMatchObject({ faults: [{ field: 'event_kinds' }, { field: 'page_size' }, { field: 'wait_ms' }] });
});

it('sends a message again under its old id, once at a time, to live endpoints alone', async () => {
  const endpointId = await test.live();
  const [messageId = ''] = await test.report({});
  await test.attempt('status_500');
  const resend = (to: string) => test.messages.resendMessage({ tenantId: TENANT, messageId, endpointId: to });
  const found = async () => (await test.messages.getMessage({ tenantId: TENANT, messageId })).deliveries;
  const before = (await found()).find((delivery) => delivery.endpointId === endpointId);
  expect(before).toMatchObject({ status: 'exhausted', marketStateCredits: 0 });
  expect((await resend(endpointId)).delivery).toMatchObject({ deliveryId: before?.deliveryId, status: 'waiting' });
  await test.attempt('ok');
  const sent = (await found()).find((delivery) => delivery.endpointId === endpointId);
  expect(sent).toMatchObject({ deliveryId: before?.deliveryId, status: 'delivered', attempts: 2, marketStateCredits: 1 });

  const later = await test.live();
  expect((await resend(later)).delivery).toMatchObject({ status: 'waiting', attempts: 0 });
  const { endpointId: untested } = await test.create();
  await expect(resend(untested)).rejects.toMatchObject({ reason: 'endpoint_not_live', metadata: { status: 'test_pending' } });
  await expect(resend('we_none')).rejects.toMatchObject({ reason: 'unknown_endpoint' });
  await test.pool.query('UPDATE message SET data = NULL, created_ms = created_ms - $1 WHERE message_id = $2', [15 * DAY_MS, messageId]);
  await expect(resend(endpointId)).rejects.toMatchObject({ reason: 'beyond_retention' });
  const gone = await test.messages.getMessage({ tenantId: TENANT, messageId });
  expect(gone.message?.body).toHaveLength(0);
});

it('finds receipts by endpoint, outcome and time, page by page', async () => {
  const tenantId = 'ten_receipts';
  const endpointId = await test.live({ tenantId });
  const ask = (request: Partial<webhook.ListAttemptsRequest>) =>
    test.messages.listAttempts({
      tenantId,
      endpointId: '',
      messageId: '',
      outcome: '',
      fromMs: 0,
      toMs: 0,
      pageSize: 0,
      pageToken: '',
      ...request,
    });
  const startMs = test.nowMs();
  for (const outcome of ['ok', 'status_500', 'timeout', 'ok']) {
    test.advance(1_000);
    await test.report({ tenantId });
    await test.attempt(outcome);
  }
  const outcomes = async (request: Partial<webhook.ListAttemptsRequest>) => (await ask(request)).attempts.map(({ outcome }) => outcome);
  expect(await outcomes({ endpointId })).toEqual(['ok', 'timeout', 'status_500', 'ok', 'ok']);
  expect(await outcomes({ outcome: 'failed' })).toEqual(['timeout', 'status_500']);
  expect(await outcomes({ outcome: 'status_500' })).toEqual(['status_500']);
  expect(await outcomes({ fromMs: startMs + 1_000 })).toHaveLength(4);
  expect(await outcomes({ toMs: startMs + 1_000 })).toEqual(['ok']);
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await ask({ pageSize: 2, pageToken });
    seen.push(...page.attempts.map(({ attemptId }) => attemptId));
    ({ nextPageToken: pageToken } = page);
  } while (pageToken !== '');
  expect(new Set(seen).size).toBe(5);
  await expect(ask({ outcome: 'good' })).rejects.toMatchObject({ faults: [{ field: 'outcome' }] });
});

it('takes tasks of live endpoints, 14 days back at most', async () => {
  const endpointId = await test.live();
  const nowMs = test.nowMs();
  const { task } = await test.endpoints.recover({ tenantId: TENANT, endpointId, sinceMs: nowMs - DAY_MS, untilMs: 0 });
  expect(task).toMatchObject({ endpointId, kind: 'recover', status: 'running', found: 0, delivered: 0, failed: 0, finishedMs: 0 });
  const taskId = task?.taskId ?? '';
  const [messageId = ''] = await test.report({});
  await test.pool.query('UPDATE delivery SET task_id = $1 WHERE message_id = $2 AND endpoint_id = $3', [taskId, messageId, endpointId]);
  await test.attempt('ok');
  await test.pool.query('UPDATE task SET is_complete = true, found = 1, finished_ms = $1 WHERE task_id = $2', [nowMs, taskId]);
  const done = await test.endpoints.getTask({ tenantId: TENANT, taskId });
  expect(done.task).toMatchObject({ status: 'done', found: 1, delivered: 1, failed: 0, finishedMs: nowMs });
  const old = test.endpoints.replayMissing({ tenantId: TENANT, endpointId, sinceMs: nowMs - 15 * DAY_MS });
  await expect(old).rejects.toMatchObject({ reason: 'beyond_retention', metadata: { oldest_ms: expect.any(String) } });
  const ahead = { tenantId: TENANT, endpointId, sinceMs: nowMs + DAY_MS };
  const refused = { faults: [{ field: 'since_ms', type: 'in_the_future' }] };
  await expect(test.endpoints.recover({ ...ahead, untilMs: 0 })).rejects.toMatchObject(refused);
  await expect(test.endpoints.replayMissing(ahead)).rejects.toMatchObject(refused);
  await expect(test.endpoints.getTask({ tenantId: TENANT, taskId: 'tsk_none' })).rejects.toMatchObject({ reason: 'unknown_task' });
});

it('takes a task once for an operation', async () => {
  const endpointId = await test.live();
  const order = { tenantId: TENANT, endpointId, sinceMs: test.nowMs() - DAY_MS, operationId: 'op_1' };
  const { task } = await test.endpoints.recover({ ...order, untilMs: 0 });
  test.advance(60_000);
  expect((await test.endpoints.recover({ ...order, untilMs: 0 })).task).toEqual(task);
  expect((await test.endpoints.replayMissing(order)).task).toMatchObject({ kind: 'replay_missing' });
});

it('shows another tenant nothing, in any method', async () => {
  const endpointId = await test.live();
  const [messageId = ''] = await test.report({});
  const sinceMs = test.nowMs() - DAY_MS;
  const { task } = await test.endpoints.recover({ tenantId: TENANT, endpointId, sinceMs, untilMs: 0 });
  const other = { tenantId: 'ten_other', endpointId };
  const { endpoints, messages } = test;
  const calls: readonly (() => Promise<unknown>)[] = [
    () => endpoints.getEndpoint(other),
    () => endpoints.updateEndpoint({ ...other, eventKinds: [], url: PUBLIC_URL }),
    () => endpoints.deleteEndpoint(other),
    () => endpoints.testEndpoint(other),
    () => endpoints.rotateSecret({ ...other, graceHours: 24 }),
    () => endpoints.enableEndpoint(other),
    () => endpoints.recover({ ...other, sinceMs, untilMs: 0 }),
    () => endpoints.replayMissing({ ...other, sinceMs }),
    () => endpoints.getTask({ tenantId: 'ten_other', taskId: task?.taskId ?? '' }),
    () => messages.getMessage({ tenantId: 'ten_other', messageId }),
    () => messages.resendMessage({ ...other, messageId }),
    () => messages.resendMessage({ tenantId: 'ten_other', messageId, endpointId: 'we_none' }),
    () => messages.listAttempts({ ...other, messageId: '', outcome: '', fromMs: 0, toMs: 0, pageSize: 0, pageToken: '' }),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await list({ tenantId: 'ten_other' })).messages).toEqual([]);
  expect((await endpoints.listEndpoints({ tenantId: 'ten_other', pageSize: 0, pageToken: '' })).endpoints).toEqual([]);
  expect((await endpoints.getEndpoint({ tenantId: TENANT, endpointId })).endpoint?.status).toBe(webhook.EndpointStatus.LIVE);
});
