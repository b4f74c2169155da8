import { setTimeout as delay } from 'node:timers/promises';
import type { Closer } from '@market-state/lifecycle';
import { comesTrue, addUp, callOnce, atOnce, countsOf, statusesOf, sumOf, type Tenant } from '@market-state/testing';
import { TRADES } from '../edge/edge';
import { type SuiteContext, Report } from '../harness';
import { type Attack, type Scene, LIVE_STREAM, REPLAY_STREAM, WINDOW } from './scene';
import { type EventStream, openStream, type StreamOrder } from './event-stream';
import { chartOthers, judgeOthers, startOthers, watchQuiet } from './others';

interface Taken {
  readonly opened: EventStream[];
  readonly refusals: Record<string, number>;
}

interface TakeOrder {
  readonly url: string;
  readonly keys: readonly string[];
  readonly addresses: readonly string[];
  readonly tries: number;
  readonly refusalsMax: number;
  readonly secondsMax: number;
}

const AT_ONCE = 20;

/**
 * Opens streams without reading them, rotating over its keys, until one of the limits is reached. Rate-limited calls
 * are retried.
 */
async function takeStreams(closer: Closer, { url, keys, addresses, tries, refusalsMax, secondsMax }: TakeOrder): Promise<Taken> {
  const untilMs = performance.now() + secondsMax * 1_000;
  const opened: EventStream[] = [];
  const refusals: Record<string, number> = {};
  let [started, refused] = [0, 0];

  const orderOf = (at: number): StreamOrder => ({
    key: keys[at % keys.length] ?? '',
    from: addresses[at % addresses.length] ?? '127.0.0.1',
    isSlow: true,
  });
  async function tryOne(order: StreamOrder): Promise<void> {
    for (;;) {
      const stream = await openStream(closer, url, order);
      if (stream.status === 200) return void opened.push(stream);
      stream.close();
      if (stream.code !== 'rate_limited' || performance.now() + stream.retryAfterS * 1_000 > untilMs) {
        const kind = `${stream.status} ${stream.code}`.trim();
        refusals[kind] = (refusals[kind] ?? 0) + 1;
        refused += 1;
        return;
      }
      await delay(stream.retryAfterS * 1_000);
    }
  }
  async function work(): Promise<void> {
    while (started < tries && refused < refusalsMax && performance.now() < untilMs) await tryOne(orderOf(started++));
  }
  await atOnce(AT_ONCE, work);
  return { opened, refusals };
}

/** Requirement RL5. */
const STREAMS_OF_TRIAL = 5;
const REPLAYS_OF_TRIAL = 2;
const TRIALS = 3;
const KEYS_TRIED = 20;
const REFUSALS_MAX = 20;
const NEW_ROUNDS = 4;
const MESSAGES_MS_MAX = 30_000;

export const allStreams: Attack = {
  id: 'streams',
  async run(scene, context) {
    const { edge, gateway, sizes } = scene;
    const { closer, report } = context;
    const paying = await edge.tenants.create({ name: 'paying reader', planId: 'public_pro' });
    const keysOfTrials = await atOnce(TRIALS, async (at) => {
      const { key } = await edge.tenants.create({ name: `taker ${at}`, planId: 'trial' });
      return [key, ...(await edge.tenants.furtherKeys(`taker ${at}`, KEYS_TRIED - 1))];
    });
    const old = await Promise.all(
      [LIVE_STREAM, REPLAY_STREAM].map((path) => openStream(closer, `${gateway.url}${path}`, { key: paying.key, from: '127.0.0.1' })),
    );
    const quiet = await watchQuiet(scene, context);
    const others = startOthers(scene, context);
    if (old.some(({ status }) => status !== 200))
      throw new Error(`A stream did not open before the attack: ${old.map(({ status, code }) => `${status} ${code}`).join(', ')}.`);
    const take = (at: number, replays: boolean): Promise<Taken> => takeAs(scene, context, keysOfTrials[at] ?? [], at, replays);
    const acceptedReplays = await take(0, true);
    const afterReplays = await usePaying(scene, context, paying, old);
    const first = await take(0, false);
    const perTenant = [openOf([acceptedReplays, first])];
    const rest = await Promise.all(keysOfTrials.slice(1).map((_, at) => take(at + 1, false)));
    perTenant.push(...rest.map((each) => openOf([each])));
    const afterAll = await usePaying(scene, context, paying, old);
    const during = await others.stop();
    const replays = acceptedReplays.opened.length;

    judgeOthers(report, 'All streams', { sizes, quiet, during });
    for (const failure of afterReplays.failures) report.fail(`All streams: after one trial's replays, ${failure}`);
    for (const failure of afterAll.failures) report.fail(`All streams: after three trials opened all they could, ${failure}`);
    report.check(replays === REPLAYS_OF_TRIAL, `All streams: a trial opened ${replays} replays; the limit is ${REPLAYS_OF_TRIAL}.`);
    for (const total of perTenant)
      report.check(total === STREAMS_OF_TRIAL, `All streams: a trial opened ${total} streams; the limit is ${STREAMS_OF_TRIAL}.`);
    report.figure('all streams: keys per trial', keysOfTrials.map((keys) => keys.length).join(', '));
    report.figure('all streams: replays opened by one trial, refused', `${replays}, ${countsOf(acceptedReplays.refusals)}`);
    report.figure(
      'all streams: streams opened by each of three trials, refused',
      `${perTenant.join(', ')}, ${countsOf(addUp([first, ...rest].map(({ refusals }) => refusals)))}`,
    );
    report.figure("all streams: a paying tenant after one trial's replays", afterReplays.figure);
    report.figure('all streams: a paying tenant after three trials', afterAll.figure);
    chartOthers(report, 'all streams', { quiet, during });
  },
};

function takeAs(
  { gateway, sizes }: Scene,
  { closer }: SuiteContext,
  keys: readonly string[],
  at: number,
  replays: boolean,
): Promise<Taken> {
  const addresses = Array.from({ length: 5 }, (_, part) => `127.0.2.${at * 5 + part + 1}`);
  const { replayTries, streamTries } = sizes.streams;
  const [tries, refusalsMax] = replays ? [replayTries, replayTries] : [streamTries, REFUSALS_MAX];
  return takeStreams(closer, {
    url: `${gateway.url}${replays ? REPLAY_STREAM : LIVE_STREAM}`,
    keys,
    addresses,
    tries,
    refusalsMax,
    secondsMax: sizes.streams.seconds,
  });
}

function openOf(taken: readonly Taken[]): number {
  return sumOf(taken.map(({ opened }) => opened.filter((stream) => stream.isOpen()).length));
}

async function usePaying(
  { gateway }: Scene,
  { closer }: SuiteContext,
  { key }: Tenant,
  old: readonly EventStream[],
): Promise<{ failures: string[]; figure: string }> {
  const stopped = await withoutMessages(old.slice(0, 1));
  const made: EventStream[] = [];
  for (let round = 0; round < NEW_ROUNDS; round += 1) {
    for (const path of [LIVE_STREAM, REPLAY_STREAM]) {
      const stream = await openStream(closer, `${gateway.url}${path}`, { key, from: '127.0.0.1' });
      made.push(stream);
      if (path === REPLAY_STREAM) stream.close();
    }
  }
  const silent = await withoutMessages(made.filter(({ status }, at) => status === 200 && at % 2 === 0));
  const reads = await Promise.all([TRADES, `${WINDOW}&channels=trades`].map((path) => callOnce(`${gateway.url}${path}`, { key })));
  for (const stream of made) stream.close();
  const refused = made.filter(({ status }) => status !== 200);
  const unread = reads.filter((answer) => answer?.status !== 200);
  const stillOpen = old.filter((stream) => stream.isOpen()).length;
  const found = new Report();
  found.check(stillOpen === old.length, 'a stream or replay of another tenant ended.');
  found.check(stopped === 0, "another tenant's live stream received no more messages.");
  found.check(
    refused.length === 0,
    `${refused.length} of ${made.length} new streams and replays of another tenant were refused: ${countsOf(statusesOf(refused))}.`,
  );
  found.check(silent === 0, `${silent} new streams of another tenant received no message.`);
  found.check(unread.length === 0, `reads of another tenant were refused: ${countsOf(statusesOf(unread))}.`);
  return {
    failures: found.failures,
    figure:
      `new streams and replays ${made.length - refused.length} of ${made.length}, reads ${reads.length - unread.length} of ` +
      `${reads.length}, its own streams still open ${stillOpen} of ${old.length}`,
  };
}

async function withoutMessages(streams: readonly EventStream[]): Promise<number> {
  const before = streams.map((stream) => stream.messages());
  const silent = (): number => streams.filter((stream, at) => stream.messages() === before[at]).length;
  await comesTrue(() => silent() === 0, { limitMs: MESSAGES_MS_MAX, everyMs: 50 });
  return silent();
}
