import fc from 'fast-check';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { runBash } from './stand-in/run-snippet';
import { tapeRecords } from './stand-in/tape-packets';

const DEMO = '/api/public/market-state/demo';
const PAGES = [`${DEMO}/public-packet-construction`, `${DEMO}/public-proof-browser`] as const;
const DELAY_MS = 600_000;
const AGE_MS_MAX = 86_400_000;
/** Clock steps: PROPERTY_RUNS, or 30. */
const STEPS = Number(process.env['PROPERTY_RUNS'] ?? 30);
const START_MS = Date.parse('2026-01-03T00:00:00.000Z');

/** Instants of the page and of receipts, not of packets. */
const NOT_OF_PACKETS: ReadonlySet<string> = new Set(['generated_at_utc', 'fresh_until_utc', 'served_at_utc']);

/** Plausible instants, 2017 to 2065; thirteen consecutive digits may belong to a digest. */
const isInstant = (value: number): boolean => value > 1_500_000_000_000 && value < 3_000_000_000_000;

/** Every instant in an answer's texts, numbers and ids, except those of the page itself. */
function instantsIn(value: unknown): number[] {
  if (typeof value === 'number') return isInstant(value) ? [value] : [];
  if (typeof value === 'string') {
    const written = (value.match(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g) ?? []).map((text) => Date.parse(text));
    return [...written, ...(value.match(/(?<![\da-zA-Z])\d{13}(?![\da-zA-Z])/g) ?? []).map(Number).filter(isInstant)];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (NOT_OF_PACKETS.has(name) ? [] : instantsIn(inner)));
}

describe('public previews under a moving clock', () => {
  let clockMs = START_MS;
  let booted: BootedGateway;
  let nextEndMs = START_MS;
  /** Stores packets like the feed: of windows that ended a second ago. */
  const feed = (): void => {
    const total = Math.floor((clockMs - 1_000 - nextEndMs) / 10_000) + 1;
    if (total <= 0) return;
    for (const record of tapeRecords({ firstEndMs: nextEndMs, total })) booted.labeling.push(record);
    nextEndMs += total * 10_000;
  };
  beforeAll(async () => {
    booted = await bootGateway({ now: () => clockMs, packets: false });
    // Without two packets of one window: a symbol has one.
    for (const firstEndMs of [START_MS - AGE_MS_MAX - 100_000, START_MS - AGE_MS_MAX + 200_000, START_MS - 800_000]) {
      for (const record of tapeRecords({ firstEndMs, total: firstEndMs === START_MS - 800_000 ? 80 : 30 })) booted.labeling.push(record);
    }
  });
  afterAll(() => booted.close());

  it('contain no byte of a packet younger than 600 s or older than a day, under any order of reads and pushes', async () => {
    const steps = fc.array(
      fc.record({
        byMs: fc.oneof(fc.integer({ min: 0, max: 25_000 }), fc.integer({ min: -4_000, max: 90_000 })),
        page: fc.constantFrom(...PAGES),
        readers: fc.integer({ min: 1, max: 3 }),
      }),
      { minLength: STEPS, maxLength: STEPS },
    );
    const seen = { oldest: 0, youngest: 0 };
    for (const { byMs, page, readers } of fc.sample(steps, { numRuns: 1 })[0] ?? []) {
      clockMs += byMs;
      const requested = Array.from({ length: readers }, () => booted.get(page));
      feed();
      const answers = await Promise.all(requested);
      for (const { status, text } of answers) {
        expect(status).toBe(200);
        const instants = instantsIn(JSON.parse(text));
        expect(instants.length).toBeGreaterThan(20);
        seen.youngest = Math.max(seen.youngest, Math.max(...instants) - (clockMs - DELAY_MS));
        seen.oldest = Math.max(seen.oldest, clockMs - AGE_MS_MAX - Math.min(...instants));
        expect(seen).toEqual({ oldest: 0, youngest: 0 });
      }
    }
  });

  it('ask labeling once in ten seconds for any number of readers', async () => {
    clockMs = Math.ceil(clockMs / 10_000) * 10_000;
    feed();
    const calls = (): number =>
      booted.gateway.upstreams.packets.unaryCallTotal('listPackets') + booted.gateway.upstreams.packets.unaryCallTotal('getPacket');
    const before = calls();
    const answers = await Promise.all(Array.from({ length: 60 }, (_answer, index) => booted.get(PAGES[index % 2] ?? '')));
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(2);
    expect(calls() - before).toBeLessThanOrEqual(5);
    const [first] = answers;
    clockMs += 9_999;
    expect((await booted.get(PAGES[0])).headers['etag']).toBe(first?.headers['etag']);
  });

  it('keep nothing of a reader who leaves: the others get the page', async () => {
    clockMs += 20_000;
    feed();
    const leaving = new AbortController();
    const left = fetch(booted.gateway.url + PAGES[1], { signal: leaving.signal }).catch(() => null);
    const staying = booted.get(PAGES[1]);
    leaving.abort();
    await left;
    expect((await staying).status).toBe(200);
  });

  it('show commands that run as they are', async () => {
    const body = (await booted.get(PAGES[0])).json<{
      rows: { packet_view: { calls?: { command: string; requires_api_key: boolean }[] } }[];
    }>();
    const calls = body.rows.at(-1)?.packet_view.calls ?? [];
    expect(calls.map(({ requires_api_key }) => requires_api_key)).toEqual([false, false, true]);
    const printed = await runBash(
      { folder: import.meta.dirname, key: booted.key },
      calls.map(({ command }) => command),
    );
    for (const text of printed) expect(JSON.parse(text)).toHaveProperty('meta');
  });
});
