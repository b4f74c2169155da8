import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { labeling } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { Client } from 'pg';
import { unpackBody } from '../src/store/packet-row';
import { type Body, claimsOf, expectedIds, hasWord, logs, made, startMs, reported, type Reported } from './labeled-events';
import { BTC, ETH, type LabelingBench, labelPurely, type RunningLabeling, startBench } from './labeling-under-test';
import { seededRandom, syntheticLog } from './synthetic-log';

/** Searches for values of an existing packet, so that there is a result. */
const FRESH_TAG = 'freshness:within_one_second:hot';
const sample = (reported[40] as Reported).body;
const [firstTag = '', secondTag = ''] = sample.tags;
const tagWords = firstTag.split(/[^a-z0-9]+/);

let bench: LabelingBench;
let running: RunningLabeling;
beforeAll(async () => {
  bench = await startBench();
  for (const symbol of [BTC, ETH]) await bench.append(logs[symbol] ?? []);
  running = await bench.start();
  for (const symbol of [BTC, ETH]) await bench.waitForPackets(symbol, made[symbol]?.length ?? 0);
});
afterAll(async () => {
  await running.close();
  await bench.stop();
});

const anything: labeling.SearchEventsRequest = {
  symbol: '',
  words: [],
  state: '',
  eventClass: '',
  eventProfile: '',
  severityClass: '',
  tags: [],
  fromWindowEndMs: 0,
  toWindowEndMs: 0,
  asOfMs: 0,
  pageSize: 0,
  pageToken: '',
  ascending: false,
};

async function everyEvent(
  request: Partial<labeling.SearchEventsRequest>,
  betweenPages: () => Promise<void> = async () => undefined,
): Promise<labeling.FoundEvent[]> {
  const events: labeling.FoundEvent[] = [];
  let pageToken = '';
  do {
    const page = await running.client.call.searchEvents({ ...anything, ...request, pageToken });
    events.push(...page.events);
    pageToken = page.nextPageToken;
    if (pageToken !== '') await betweenPages();
  } while (pageToken !== '');
  return events;
}

const idsOf = (events: readonly labeling.FoundEvent[]): (string | undefined)[] => events.map(({ packet }) => packet?.eventId);

describe('SearchEvents', () => {
  test('gives every packet of every symbol once, newest first, over pages of any size', async () => {
    for (const pageSize of [0, 17, 1_000]) expect(idsOf(await everyEvent({ pageSize }))).toEqual(expectedIds(() => true));
    const first = { pageSize: 1, toWindowEndMs: startMs + 100_000 };
    expect(idsOf(await everyEvent(first))).toEqual(expectedIds(({ windowEndMs }) => windowEndMs < first.toWindowEndMs));
  });

  test('gives them oldest first where that is asked for, over pages of any size', async () => {
    for (const pageSize of [0, 7]) {
      const ids = idsOf(await everyEvent({ pageSize, ascending: true, symbol: BTC, state: sample.state }));
      expect(ids).toEqual(expectedIds(({ symbol, body }) => symbol === BTC && body.state === sample.state).toReversed());
    }
  });

  test.each([
    ['symbol', { symbol: ETH }, (event: Reported) => event.symbol === ETH],
    ['state', { state: sample.state }, ({ body }: Reported) => body.state === sample.state],
    ['event class', { eventClass: sample.event_class }, ({ body }: Reported) => body.event_class === sample.event_class],
    ['event profile', { eventProfile: sample.event_profile }, ({ body }: Reported) => body.event_profile === sample.event_profile],
    [
      'severity class',
      { severityClass: sample.event_severity.severity_class },
      ({ body }: Reported) => body.event_severity.severity_class === sample.event_severity.severity_class,
    ],
    ['one tag', { tags: [FRESH_TAG] }, ({ body }: Reported) => body.tags.includes(FRESH_TAG)],
    ['two tags', { tags: [firstTag, secondTag] }, ({ body }: Reported) => body.tags.includes(firstTag) && body.tags.includes(secondTag)],
    [
      'from and to',
      { fromWindowEndMs: startMs + 100_000, toWindowEndMs: startMs + 200_000 },
      ({ windowEndMs }: Reported) => windowEndMs >= startMs + 100_000 && windowEndMs < startMs + 200_000,
    ],
    ['a state that there is not', { state: 'no_such_state' }, () => false],
    [
      'words',
      { words: ['Below', 'watch'] },
      ({ body }: Reported) =>
        ['below', 'watch'].every((word) => [body.state, ...body.tags, ...claimsOf(body)].some((text) => hasWord(text, word))),
    ],
    ['a word of reasons alone', { words: ['samples'] }, ({ body }: Reported) => claimsOf(body).some((text) => hasWord(text, 'samples'))],
    [
      'words and a filter',
      { words: tagWords, state: sample.state, symbol: BTC },
      ({ symbol, body }: Reported) =>
        symbol === BTC &&
        body.state === sample.state &&
        tagWords.every((word) => [body.state, ...body.tags, ...claimsOf(body)].some((text) => hasWord(text, word))),
    ],
  ] as [string, Partial<labeling.SearchEventsRequest>, (event: Reported) => boolean][])('by %s', async (_name, request, holds) => {
    const ids = expectedIds(holds);
    expect(idsOf(await everyEvent(request))).toEqual(ids);
    expect(ids.length > 0).toBe(request.state !== 'no_such_state');
  });

  test('says of each word where it stands', async () => {
    const events = await everyEvent({ words: ['pressure', 'samples'], pageSize: 50 });
    expect(events.length).toBeGreaterThan(0);
    for (const { packet, words } of events) {
      const body = JSON.parse(packet?.body.toString('utf8') ?? '') as Body;
      expect(words).toEqual(
        ['pressure', 'samples'].map((word) => ({
          word,
          inState: hasWord(body.state, word),
          tags: body.tags.filter((tag) => hasWord(tag, word)),
          reasons: claimsOf(body).filter((reason) => hasWord(reason, word)),
        })),
      );
    }
  });

  test('names every fault at once, and refuses a token given for another filter', async () => {
    const bad = {
      ...anything,
      symbol: 'x',
      words: ['0.5', 'a b', '7'],
      tags: ['no'],
      state: 'A',
      fromWindowEndMs: -1,
      asOfMs: -1,
      pageSize: 1_001,
      pageToken: 'x',
    };
    await expect(running.client.call.searchEvents(bad)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [
        'symbol',
        'from_window_end_ms',
        'as_of_ms',
        'words[0]',
        'words[1]',
        'words[2]',
        'tags[0]',
        'state',
        'page_size',
        'page_token',
      ].map((field) => ({ field })),
    });
    const { nextPageToken } = await running.client.call.searchEvents({ ...anything, pageSize: 1 });
    await expect(running.client.call.searchEvents({ ...anything, state: 'depth_watch', pageToken: nextPageToken })).rejects.toMatchObject({
      faults: [{ field: 'page_token' }],
    });
    await expect(running.client.call.searchEvents({ ...anything, symbol: 'DOGEUSD-PERP' })).rejects.toMatchObject({
      reason: 'unknown_symbol',
    });
  });
});

describe('ListHistory', () => {
  const requested: labeling.ListHistoryRequest = {
    symbol: BTC,
    fromWindowEndMs: 0,
    toWindowEndMs: 0,
    state: '',
    eventClass: '',
    asOfMs: 0,
    pageSize: 0,
    pageToken: '',
  };

  test('gives the rows of one symbol oldest first, as the packets say', async () => {
    const events: labeling.EventRecord[] = [];
    for (let pageToken = ''; ; ) {
      const page = await running.client.call.listHistory({ ...requested, pageSize: 17, pageToken });
      events.push(...page.events);
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    const expected = reported.filter(({ symbol }) => symbol === BTC);
    expect(events.map(({ eventId }) => eventId)).toEqual(expected.map(({ eventId }) => eventId));
    for (const [index, { body, windowEndMs }] of expected.entries()) {
      expect(events[index]).toMatchObject({
        sequence: index + 1,
        windowEndMs,
        state: body.state,
        tags: body.tags,
        midPrice: body.reference_prices.mid_price ?? undefined,
        stateLabel: body.state_label,
        runnerUpState: body.state_diagnosis.runner_up_state,
        stateMargin: body.state_diagnosis.state_margin,
        severityScore: body.event_severity.score,
        nearThreshold: body.state_diagnosis.crossed_thresholds.some(({ crossing_class: crossing }) => crossing === 'near_threshold'),
      });
      expect(events[index]?.knownTsMs).toBeGreaterThanOrEqual(windowEndMs + 1_000);
    }
  });

  test('is as of an instant, and needs a symbol', async () => {
    const { events } = await running.client.call.listHistory(requested);
    const { events: before } = await running.client.call.listHistory({ ...requested, asOfMs: (events[5]?.knownTsMs ?? 0) - 1 });
    expect(before.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    await expect(running.client.call.listHistory({ ...requested, symbol: '' })).rejects.toMatchObject({ faults: [{ field: 'symbol' }] });
  });
});

test('a search goes on without repeat or loss while packets are written', async () => {
  const random = seededRandom(77);
  let writtenS = 400;
  const before = expectedIds(({ symbol, windowEndMs }) => symbol === BTC || windowEndMs <= startMs + 400_000);
  const later = syntheticLog({ symbol: ETH, seconds: 600, seed: 9, stepMs: 1_000, startMs });
  for (let round = 0; round < 2; round += 1) {
    const pageSize = 1 + Math.floor(random() * 20);
    const ids = idsOf(
      await everyEvent({ pageSize }, async () => {
        if (writtenS >= 590 || random() < 0.4) return;
        const [fromMs, nextS] = [startMs + writtenS * 1_000, Math.min(590, writtenS + 20)];
        await bench.append(later.filter(({ exchangeTsMs: atMs }) => atMs > fromMs && atMs <= startMs + nextS * 1_000));
        writtenS = nextS;
      }),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(before.filter((id) => !ids.includes(id))).toEqual([]);
  }
});

describe('the index', () => {
  const indexed = async (): Promise<string[]> =>
    (await bench.sql<{ event_id: string }>('SELECT event_id FROM event ORDER BY symbol, window_end_ms')).map(({ event_id: id }) => id);
  const packets = async (): Promise<string[]> =>
    (await bench.sql<{ event_id: string }>('SELECT event_id FROM packet ORDER BY symbol, window_end_ms')).map(({ event_id: id }) => id);

  test('holds every packet a moment after its push, without being read', async () => {
    await waitUntil('every packet is in the index', async () => (await indexed()).length === (await packets()).length);
    expect(await indexed()).toEqual(await packets());
  });

  test('is made whole at the start when the last process ended before it had entered what it pushed', async () => {
    const kept = await indexed();
    await running.close();
    await bench.sql(`DELETE FROM event WHERE window_end_ms > $1`, [startMs + 200_000]);
    running = await bench.start();
    await waitUntil('every packet is in the index again', async () => (await indexed()).length === kept.length);
    expect(await indexed()).toEqual(kept);
  });

  test('holds no packet up while nothing can be entered; a read waits until it is whole', async () => {
    const longer = syntheticLog({ symbol: ETH, seconds: 660, seed: 9, stepMs: 1_000, startMs });
    const newestMs = labelPurely(longer).at(-1)?.windowEndMs;
    const last = (await bench.log.lastId(ETH))?.ordinal ?? 0;
    const blocker = new Client({ connectionString: bench.config.databaseUrl });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE event IN SHARE MODE');
    await bench.append(longer.filter(({ ordinal }) => ordinal > last));
    const pushed: string[] = [];
    for await (const { message } of running.client.call.streamPackets({ symbols: [ETH] })) {
      if (message?.$case !== 'packet') continue;
      pushed.push(message.value.eventId);
      if (message.value.windowEndMs === newestMs) break;
    }
    let isRead = false;
    const reading = everyEvent({ symbol: ETH }).finally(() => {
      isRead = true;
    });
    await waitUntil(
      'an entry that waits',
      async () => (await bench.sql(`SELECT 1 FROM pg_locks WHERE relation = 'event'::regclass AND NOT granted`)).length > 0,
    );
    await running.client.call.getLatestPacket({ symbol: ETH, asOfMs: 0 });
    expect(isRead).toBe(false);
    await blocker.query('COMMIT');
    await blocker.end();
    expect(idsOf(await reading)).toEqual(expect.arrayContaining(pushed));
  });
});

test('the migration enters the packets that are stored as the labeler does', async () => {
  const migration = readFileSync(join(import.meta.dirname, '..', 'prisma', 'migrations', '0010_event_reads', 'migration.sql'), 'utf8');
  const backfill = /INSERT INTO "event"[^;]+;/.exec(migration)?.[0] ?? '';
  const stored = () => bench.sql<{ event: string }>(`SELECT to_jsonb(event)::text AS event FROM event ORDER BY symbol, window_end_ms`);
  const kept = await stored();
  expect(kept.length).toBeGreaterThanOrEqual(reported.length);
  await bench.sql('DELETE FROM event');
  // At its time bodies were stored as text.
  const packed = await bench.sql<{ event_id: string; packed_body: Buffer }>('SELECT event_id, packed_body FROM packet');
  const texts = `WITH "packet" AS (
    SELECT (jsonb_populate_record(stored, jsonb_build_object('body', replaced.body))).*
    FROM public.packet AS stored JOIN unnest($1::text[], $2::text[]) AS replaced (event_id, body) USING (event_id))`;
  await bench.sql(`${texts} ${backfill}`, [packed.map((row) => row.event_id), packed.map((row) => unpackBody(row.packed_body))]);
  expect(await stored()).toEqual(kept);
});
