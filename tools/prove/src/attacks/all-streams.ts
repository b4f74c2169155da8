import { setTimeout as delay } from 'node:timers/promises';
import type { EdgeTenant } from '../edge/office';
import { TRADES } from '../edge/routes';
import { ask, statusesOf } from './ask';
import type { Attack } from './attack';
import { type EventStream, openStream } from './event-stream';
import { countsOf, judgeOthers, othersFigure, startOthers, watchQuiet } from './others';
import { LIVE_STREAM, REPLAY_STREAM, WINDOW } from './paths';
import type { Scene } from './scene';
import { type Taken, takeStreams } from './take-streams';

/** Of a trial, by requirement RL5. */
const STREAMS_OF_TRIAL = 5;
const REPLAYS_OF_TRIAL = 2;
const TRIALS = 3;
const KEYS_TRIED = 20;
/** Refused so often, a trial has the streams that it may have. */
const REFUSALS_MAX = 20;
const NEW_ROUNDS = 4;
const MESSAGES_MS_MAX = 30_000;

/** One trial takes every replay and stream that it can, with every key it can have; then three do at once. */
export const allStreams: Attack = {
  id: 'streams',
  async run(scene) {
    const { edge, gateway } = scene;
    const paying = await edge.office.tenant('paying reader', 'public_pro');
    const trials: (EdgeTenant & { readonly keys: string[] })[] = [];
    for (let at = 0; at < TRIALS; at += 1) {
      const trial = await edge.office.tenant(`taker ${at}`, 'trial');
      trials.push({ ...trial, keys: [trial.key, ...(await edge.office.furtherKeys(`taker ${at}`, KEYS_TRIED - 1))] });
    }
    const old = await Promise.all(
      [LIVE_STREAM, REPLAY_STREAM].map((path) => openStream(`${gateway.url}${path}`, { key: paying.key, from: '127.0.0.1' })),
    );
    const quiet = await watchQuiet(scene);
    const others = startOthers(scene);
    const taken: Taken[] = [];
    try {
      if (old.some(({ status }) => status !== 200))
        throw new Error(`A stream did not open before the attack: ${old.map(({ status, code }) => `${status} ${code}`).join(', ')}.`);
      const [first] = trials;
      taken.push(await take(scene, first?.keys ?? [], 0, true));
      const afterReplays = await usePaying(scene, paying, old);
      taken.push(await take(scene, first?.keys ?? [], 0, false));
      const firstRefusals = { ...taken[0]?.refusals };
      const perTenant: number[] = [openOf(taken)];
      const rest = await Promise.all(trials.slice(1).map(({ keys }, at) => take(scene, keys, at + 1, false)));
      perTenant.push(...rest.map((each) => openOf([each])));
      taken.push(...rest);
      const afterAll = await usePaying(scene, paying, old);
      const during = await others.stop();
      const judged = judgeOthers(scene, 'All streams', quiet, during);
      const replays = taken[0]?.opened.length ?? 0;
      return {
        failures: [
          ...judged.failures,
          ...afterReplays.failures.map((failure) => `All streams: after the replays of one trial, ${failure}`),
          ...afterAll.failures.map((failure) => `All streams: after three trials took what they could, ${failure}`),
          ...(replays === REPLAYS_OF_TRIAL ? [] : [`All streams: a trial opened ${replays} replays, and may have ${REPLAYS_OF_TRIAL}.`]),
          ...perTenant.flatMap((total) =>
            total === STREAMS_OF_TRIAL ? [] : [`All streams: a trial opened ${total} streams, and may have ${STREAMS_OF_TRIAL}.`],
          ),
        ],
        timing: judged.timing,
        figures: [
          ['all streams: keys of each trial', trials.map(({ keys }) => keys.length).join(', ')],
          ['all streams: replays of one trial, refused', `${replays}, ${countsOf(firstRefusals)}`],
          [
            'all streams: streams of each of three trials, refused',
            `${perTenant.join(', ')}, ${countsOf(sumOf(taken.slice(1).map(({ refusals }) => refusals)))}`,
          ],
          ['all streams: a paying tenant after the replays of one trial', afterReplays.figure],
          ['all streams: a paying tenant after three trials', afterAll.figure],
          ['all streams: latest of others, quiet', othersFigure(quiet)],
          ['all streams: latest of others, meanwhile', othersFigure(during)],
        ],
      };
    } finally {
      for (const each of taken) each.close();
      for (const stream of old) stream.close();
      await others.stop();
    }
  },
};

function take({ gateway, sizes }: Scene, keys: readonly string[], at: number, replays: boolean): Promise<Taken> {
  const addresses = Array.from({ length: 5 }, (_, part) => `127.0.2.${at * 5 + part + 1}`);
  const { replayTries, streamTries } = sizes.streams;
  const [tries, refusalsMax] = replays ? [replayTries, replayTries] : [streamTries, REFUSALS_MAX];
  return takeStreams({
    url: `${gateway.url}${replays ? REPLAY_STREAM : LIVE_STREAM}`,
    keys,
    addresses,
    tries,
    refusalsMax,
    secondsMax: sizes.streams.seconds,
  });
}

function openOf(taken: readonly Taken[]): number {
  return taken.reduce((sum, { opened }) => sum + opened.filter((stream) => stream.isOpen()).length, 0);
}

/** What a paying tenant finds: do its streams go on, do new ones open, is it read to? */
async function usePaying(
  { gateway }: Scene,
  { key }: EdgeTenant,
  old: readonly EventStream[],
): Promise<{ failures: string[]; figure: string }> {
  const stopped = await withoutMessages(old.filter((_, at) => at === 0));
  const made: EventStream[] = [];
  for (let round = 0; round < NEW_ROUNDS; round += 1) {
    for (const path of [LIVE_STREAM, REPLAY_STREAM]) {
      const stream = await openStream(`${gateway.url}${path}`, { key, from: '127.0.0.1' });
      made.push(stream);
      if (path === REPLAY_STREAM) stream.close();
    }
  }
  const silent = await withoutMessages(made.filter(({ status }, at) => status === 200 && at % 2 === 0));
  const reads = await Promise.all(
    [TRADES, `${WINDOW}&channels=trades`].map((path) => ask(`${gateway.url}${path}`, { headers: { 'x-market-state-api-key': key } })),
  );
  for (const stream of made) stream.close();
  const refused = made.filter(({ status }) => status !== 200);
  const unread = reads.filter((answer) => answer?.status !== 200);
  return {
    failures: [
      ...(old.every((stream) => stream.isOpen()) ? [] : ['a stream or replay of another tenant was ended.']),
      ...(stopped === 0 ? [] : ['the live stream of another tenant got no more messages.']),
      ...(refused.length === 0
        ? []
        : [
            `${refused.length} of ${made.length} new streams and replays of another tenant were refused: ${countsOf(statusesOf(refused))}.`,
          ]),
      ...(silent === 0 ? [] : [`${silent} new streams of another tenant got no message.`]),
      ...(unread.length === 0 ? [] : [`reads of another tenant were refused: ${countsOf(statusesOf(unread))}.`]),
    ],
    figure:
      `new streams and replays ${made.length - refused.length} of ${made.length}, reads ${reads.length - unread.length} of ` +
      `${reads.length}, its own streams still open ${old.filter((stream) => stream.isOpen()).length} of ${old.length}`,
  };
}

/** Of these, how many get no further message. */
async function withoutMessages(streams: readonly EventStream[]): Promise<number> {
  const before = streams.map((stream) => stream.messages());
  const silent = (): number => streams.filter((stream, at) => stream.messages() === before[at]).length;
  for (const untilMs = performance.now() + MESSAGES_MS_MAX; silent() > 0 && performance.now() < untilMs; ) await delay(50);
  return silent();
}

function sumOf(counts: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const each of counts) for (const [kind, total] of Object.entries(each)) sums[kind] = (sums[kind] ?? 0) + total;
  return sums;
}
