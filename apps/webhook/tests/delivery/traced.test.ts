import { startOtlpReceiver } from '@market-state/otlp-receiver';
import { waitUntil } from '@market-state/testing';
import { openTracing } from '@market-state/tracing';
import { openDelivery } from './delivery-under-test';
import { ok, status } from './receivers';

test('each delivery attempt is its own trace, marked failed if refused, and each queue check a job', async () => {
  const receiver = await startOtlpReceiver();
  let last = 0;
  const counted = (length: number) => (): string => (++last).toString(16).padStart(length, '0');
  // Sampling decides by the head of the id, so small ids are sampled.
  const ids = { generateTraceId: counted(32), generateSpanId: counted(16) };
  const tracing = await openTracing({ service: 'webhook-worker', endpoint: receiver.endpoint, onLost: () => undefined, ids });
  const delivery = await openDelivery();
  await delivery.endpoint('/a', (response, count) => (count === 1 ? status(500)(response, count) : ok(response, count)));
  await delivery.startWorker();
  await delivery.report(1);
  await waitUntil('the delivery', async () => (await delivery.statuses()).delivered === 1);
  await delivery.close();
  await tracing.close();
  await receiver.close();

  const attempts = receiver.spans.filter(({ name }) => name === 'deliver');
  expect(attempts.map(({ failed, attributes, parentSpanId }) => [failed, attributes['market_state.outcome'], parentSpanId])).toEqual([
    [true, 'status_500', undefined],
    [false, 'ok', undefined],
  ]);
  expect(new Set(attempts.map(({ attributes }) => attributes['market_state.delivery_id'])).size).toBe(1);
  expect(attempts[0]?.attributes['error.type']).toBe('status_500');
  const jobs = receiver.spans.filter(({ attributes }) => attributes['messaging.system'] === 'bullmq');
  expect(jobs.length).toBeGreaterThan(0);
  expect(new Set(jobs.map(({ kind, failed }) => `${kind} ${failed}`))).toEqual(new Set(['5 false']));
  expect(JSON.stringify(receiver.spans)).not.toMatch(/https:|localhost|whsec_/);
}, 60_000);
