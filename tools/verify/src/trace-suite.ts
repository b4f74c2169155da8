import { setTimeout as delay } from 'node:timers/promises';
import { type ReceivedSpan, startOtlpReceiver } from '@market-state/otlp-receiver';
import { keyOfNewTenant, proportionalMiB, startSystem, waitUntil, openCaller, statusesOf } from '@market-state/testing';
import type { Suite } from './harness';

const SERVER = 2;
const CLIENT = 3;

/** Faults of head-sampled traces: each must be complete, with its first span at the gateway. */
export function chosenFaults(spans: readonly ReceivedSpan[], traceIds: Iterable<string>): string[] {
  return [...traceIds].flatMap((traceId) => {
    const own = spans.filter((span) => span.traceId === traceId);
    const ids = new Set(own.map(({ spanId }) => spanId));
    const orphans = own.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
    const unserved = own.filter(
      ({ kind, spanId }) => kind === CLIENT && !own.some((span) => span.kind === SERVER && span.parentSpanId === spanId),
    );
    const first = own.filter(({ parentSpanId }) => parentSpanId === undefined);
    return [
      ...orphans.map(({ name }) => `${traceId}: the parent of ${name} is missing.`),
      ...unserved.map(({ name }) => `${traceId}: ${name} was not served.`),
      ...(first.length === 1 && first[0]?.service === 'gateway' ? [] : [`${traceId} has ${first.length} first spans.`]),
    ];
  });
}

/** Four standard deviations: the plausible range of the number of sampled traces. */
export function isByChance(chosen: number, total: number, share: number): boolean {
  return Math.abs(chosen - total * share) <= 4 * Math.sqrt(total * share * (1 - share));
}

/** Always calls account. */
const ME = '/api/public/market-state/account/me';
const ROUTE = `GET ${ME}`;
const SHARE = 0.01;
const AT_ONCE = 4;
/** Enough callers that none exceeds its plan's rate. */
const TENANTS = 20;
const FAILING = 20;
const SENT_MS_MAX = 30_000;
/** Longer than a batch waits and a collector takes to answer. */
const SETTLE_MS = 6_000;
/** Queued and in-flight spans, and the memory to send them. */
const GROWTH_MIB_MAX = 60;

export const traceSuite: Suite = {
  id: 'traces',
  claim:
    'one in a hundred traces of calls through the gateway reaches a collector, complete across processes; every failure does; a collector ' +
    'that hangs, fails or is down makes no call fail; no span contains a key',
  budget: { default: 3_000, counts: 'calls' },
  short: { seed: 1, budget: 600 },
  async run({ closer, report, budget, say }) {
    const receiver = await startOtlpReceiver();
    closer.add('collector', () => receiver.close());
    const system = await startSystem({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint } });
    closer.add('system', () => system.stop());
    const keys: string[] = [];
    while (keys.length < TENANTS) keys.push(await keyOfNewTenant(system));
    const caller = openCaller(closer, AT_ONCE);
    let calls = 0;
    const call = async (): Promise<number> => (await caller(system.url + ME, { key: keys[calls++ % TENANTS] })).status;
    const requests = (failed: boolean): readonly ReceivedSpan[] =>
      receiver.spans.filter(({ name, failed: own }) => name === ROUTE && own === failed);

    const statuses = await callMany(budget, call);
    await delay(SETTLE_MS);
    const chosen = requests(false);
    report.figure('calls, and their traces that were sent', `${statuses.length}, ${chosen.length}`);
    report.check(statuses.every(isGood), 'A call on a healthy system failed.');
    report.figure('answers', countsOf(statuses));
    report.check(isByChance(chosen.length, budget, SHARE), `${chosen.length} of ${budget} traces were sent.`);
    report.fail(
      ...chosenFaults(
        receiver.spans,
        chosen.map(({ traceId }) => traceId),
      ),
    );
    report.figure('services in them', [...new Set(receiver.spans.map(({ service }) => service))].sort().join(', '));
    say('traces were sent');

    const account = system.processes.process('account').pid ?? 0;
    process.kill(account, 'SIGSTOP');
    const failed = await callMany(FAILING, call);
    process.kill(account, 'SIGCONT');
    const failures = failed.filter((status) => status >= 500).length;
    report.check(failures > 0, 'No call failed while account was frozen.');
    await waitUntil('every failure', () => requests(true).length >= failures, SENT_MS_MAX).catch(() => undefined);
    report.figure('failed calls, and their traces', `${failures}, ${requests(true).length}`);
    report.check(requests(true).length === failures, 'The traces of failures do not match the failed calls.');
    say('failures were sent');

    const gatewayPid = system.processes.process('gateway').pid ?? 0;
    const before = proportionalMiB(gatewayPid);
    for (const manner of ['hangs', 'fails', 'drips'] as const) {
      receiver.behave(manner);
      const answered = await callMany(budget / 3, call);
      report.check(answered.every(isGood), `A call failed while the collector ${manner}.`);
    }
    await receiver.close();
    report.check((await callMany(budget / 3, call)).every(isGood), 'A call failed while the collector was down.');
    const grown = proportionalMiB(gatewayPid) - before;
    report.figure('growth of the gateway during that, MiB', grown.toFixed(0));
    report.check(grown < GROWTH_MIB_MAX, `The gateway's memory grew by ${grown.toFixed(0)} MiB.`);
    const text = JSON.stringify(receiver.spans);
    report.check(!keys.some((key) => text.includes(key)), 'A span contains a key.');
  },
};

const isGood = (status: number): boolean => status === 200;

function countsOf(statuses: readonly number[]): string {
  return Object.entries(statusesOf(statuses.map((status) => ({ status }))))
    .map(([status, total]) => `${status}: ${total}`)
    .join(', ');
}

async function callMany(total: number, call: () => Promise<number>): Promise<readonly number[]> {
  const statuses: number[] = [];
  let next = 0;
  const some = async (): Promise<void> => {
    for (let at = next++; at < total; at = next++) statuses.push(await call());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
  return statuses;
}
