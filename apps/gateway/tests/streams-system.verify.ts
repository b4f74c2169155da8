import { startSystem, type System, waitUntil } from '@market-state/testing';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type OpenedStream, openStream, type StreamMessage } from './stand-in/event-stream';

const SYMBOL = 'BTCUSD-PERP';
const LIVE = `/api/public/data/stream?symbol=${SYMBOL}`;
const ROWS_ALONE = '&channels=book,trades,context,liquidations,control';
const REPLAY = `/api/public/data/stream/replay?symbol=${SYMBOL}&speed=max`;
const PACKETS = `/api/public/market-state/stream?symbol=${SYMBOL}`;
const SCHEMAS = {
  row: 'DataRow',
  gap: 'Gap',
  packet: 'StreamPacket',
  heartbeat: 'StreamHeartbeat',
  skipped: 'StreamSkipped',
  plan: 'StreamPlan',
  receipt: 'Completeness',
  end: 'StreamEnd',
};

let system: System;
let key: string;

beforeAll(async () => {
  system = await startSystem({
    runs: ['data-plane-feed', 'data-plane-recorder', 'data-plane', 'labeling', 'account', 'gateway'],
    settings: { FEED: 'recording', FEED_SPEED: '10', FEED_START: String(Math.floor(Date.now() / 10_000) * 10_000), SYMBOLS: SYMBOL },
  });
  key = await system.demoKey();
});

afterAll(() => system?.stop());

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Opens a stream like a client: retries a busy gateway (503) when it says so. */
async function open(path: string, lastEventId?: string): Promise<OpenedStream> {
  for (;;) {
    const stream = await openStream(system.url + path, {
      'x-market-state-api-key': key,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
    if (stream.status === 200) return stream;
    await stream.ended;
    if (stream.status !== 503) throw new Error(`${path}: ${stream.status} ${stream.text()}`);
    await new Promise((resolve) => setTimeout(resolve, Number(stream.headers['retry-after'] ?? 1) * 1_000));
  }
}

function content(messages: readonly StreamMessage[]): StreamMessage[] {
  return messages.filter(({ event }) => event === 'row' || event === 'gap' || event === 'packet');
}

/** Rows, gaps and packets as sent, complete messages only. */
function rawContent(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf('\n\n') + 2)
    .split('\n\n')
    .filter((message) => /^id: .*\nevent: (row|gap|packet)\n/.test(message));
}

function idOf(message: string | undefined): string {
  return /^id: (.*)\n/.exec(message ?? '')?.[1] ?? '';
}

/** Reads a stream that is cut at random points and resumed, `cuts` times. */
async function readInPieces(path: string, from: string, cuts: number, random: () => number): Promise<string[]> {
  const collected: string[] = [];
  let last = from;
  for (let cut = 0; cut < cuts; cut += 1) {
    const stream = await open(path, last);
    const wanted = 1 + Math.floor(random() * 40);
    await stream.until((messages) => content(messages).length >= wanted);
    stream.cut();
    const raw = rawContent(stream.text());
    const kept = raw.slice(0, 1 + Math.floor(random() * raw.length));
    collected.push(...kept);
    last = idOf(kept[kept.length - 1]);
  }
  return collected;
}

async function firstId(stream: OpenedStream): Promise<string> {
  await stream.until((messages) => messages.length > 0);
  return stream.messages[0]?.lastEventId ?? '';
}

async function expectUncut(path: string): Promise<void> {
  const seed = Math.floor(Math.random() * 1_000_000);
  console.info(`seed ${seed}`);
  const whole = await open(path);
  const pieces = await readInPieces(path, await firstId(whole), 50, randomFrom(seed));
  const lastId = idOf(pieces[pieces.length - 1]);
  await whole.until((messages) => messages.some(({ lastEventId }) => lastEventId === lastId));
  whole.cut();
  const uncut = rawContent(whole.text());
  expect(pieces).toEqual(uncut.slice(0, pieces.length));
  expect(pieces.length).toBeGreaterThan(50);
}

it('a live stream of every channel, cut 50 times and resumed, equals the uncut one', () => expectUncut(LIVE));

it('a live stream of trades, cut 50 times and resumed, equals the uncut one', () => expectUncut(`${LIVE}&channels=trades`));

it('gives the same messages live, resumed from stored rows, and replayed; each keeps to its schema', async () => {
  const live = await open(LIVE + ROWS_ALONE);
  const from = await firstId(live);
  await live.until((messages) => content(messages).length > 2_000);
  const sent = rawContent(live.text());
  const rows = live.messages
    .filter(({ event }) => event === 'row')
    .map(({ data }) => JSON.parse(data) as { readonly exchange_time_utc: string });
  // A replay ends before the newest tick, so reads later messages before comparing.
  await live.until((messages) => content(messages).length > sent.length + 200);
  live.cut();
  const times = rows.map(({ exchange_time_utc: time }) => time).sort();
  const endMs = Date.parse(times[times.length - 1] ?? '') + 1;
  const replay = await open(`${REPLAY}${ROWS_ALONE}&start=${Date.parse(times[0] ?? '')}&end=${endMs}`);
  await replay.ended;
  const replayed = rawContent(replay.text());
  const first = replayed.indexOf(sent[0] ?? '');
  expect(first).toBeGreaterThanOrEqual(0);
  expect(replayed.slice(first, first + sent.length)).toEqual(sent);
  const stored = await open(LIVE + ROWS_ALONE, '1-1-0');
  await stored.until((messages) => messages.some(({ lastEventId }) => lastEventId === idOf(sent[sent.length - 1])));
  stored.cut();
  const all = rawContent(stored.text());
  expect(idOf(all[0])).toBe('1-2-0');
  const joined = all.indexOf(sent[0] ?? '');
  expect(all.slice(joined, joined + sent.length)).toEqual(sent);
  expect(idOf(all[joined - 1])).toBe(from);
  for (const [event, schema] of Object.entries(SCHEMAS)) {
    const check = responseCheck(schema);
    for (const message of [...live.messages, ...replay.messages])
      if (message.event === event) expect([event, check(JSON.parse(message.data))]).toEqual([event, null]);
  }
  expect(
    replay.messages.filter(({ event }) => event !== 'row' && event !== 'gap' && event !== 'heartbeat').map(({ event }) => event),
  ).toEqual(['plan', 'receipt', 'end']);
});

it('gives a packet among rows live and replayed in the same words', async () => {
  const isPacket = ({ event, data }: StreamMessage): boolean => event === 'row' && data.startsWith('{"channel":"packets"');
  const live = await open(`${LIVE}&channels=control,packets`);
  await live.until((messages) => messages.filter(isPacket).length >= 8);
  const sent = live.messages.filter(isPacket).map(({ data }) => data);
  // A replay ends before the newest tick, so reads messages after the entry that closed the last window.
  await live.until((messages) => messages.filter(isPacket).length > sent.length);
  live.cut();
  const windows = sent.map((data) => Date.parse((JSON.parse(data) as { readonly exchange_time_utc: string }).exchange_time_utc));
  const replay = await open(`${REPLAY}&channels=packets&start=${windows[0] ?? 0}&end=${(windows[windows.length - 1] ?? 0) + 1}`);
  await replay.ended;
  const replayed = replay.messages.filter(isPacket).map(({ data }) => data);
  expect(replayed).toHaveLength(sent.length);
  expect(replayed).toEqual(sent);
});

it('a stream of packets resumed at any packet goes on with the next', async () => {
  const whole = await open(PACKETS);
  const from = await firstId(whole);
  await whole.until((messages) => content(messages).length >= 6);
  whole.cut();
  const sent = rawContent(whole.text());
  for (const [index, id] of [from, ...sent.map(idOf)].slice(0, -1).entries()) {
    const resumed = await open(PACKETS, id);
    await resumed.until((messages) => content(messages).length >= sent.length - index);
    resumed.cut();
    expect(rawContent(resumed.text()).slice(0, sent.length - index)).toEqual(sent.slice(index));
  }
});

it('the data plane killed and back: readers lose nothing and notice nothing', async () => {
  const live = await open(LIVE + ROWS_ALONE);
  await live.until((messages) => content(messages).length > 50);
  const before = content(live.messages).length;
  system.processes.signal('data-plane', 'SIGKILL');
  await waitUntil('rows after the kill', () => content(live.messages).length > before + 500);
  live.cut();
  const ordinals = live.messages
    .filter(({ event }) => event === 'row')
    .map(({ data }) => (JSON.parse(data) as { readonly sequence: number }).sequence);
  const first = ordinals[0] ?? 0;
  expect(ordinals).toEqual(ordinals.map((_, index) => first + index));
  expect(live.messages.some(({ event }) => event === 'end')).toBe(false);
});

it('on shutdown every stream ends with its last message', async () => {
  const streams = await Promise.all([open(LIVE), open(PACKETS), open(`${REPLAY.replace('speed=max', 'speed=1')}`)]);
  await Promise.all(streams.map((stream) => stream.until((messages) => messages.length > 1)));
  system.processes.signal('gateway', 'SIGTERM');
  await Promise.all(streams.map((stream) => stream.ended));
  for (const stream of streams) {
    const last = stream.messages[stream.messages.length - 1];
    expect([last?.event, JSON.parse(last?.data ?? '{}')]).toEqual([
      'end',
      { code: 'service_stopping', resume_id: expect.stringMatching(/^\d+-\d+-\d+$/) },
    ]);
  }
});
