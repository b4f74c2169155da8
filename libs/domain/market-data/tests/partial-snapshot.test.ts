import { type BookEvent, instrumentRows, LivePlayer, type MarketEvent, openRecording } from '../src/index';
import { play, textFile } from './open-files';

const START_MS = 1_700_000_010_000;
const STEP_MS = 250;
const STEPS = 60;

type Levels = Map<number, string>;
type Market = 'binance-usdm' | 'binance-coinm';

/** Price moves by one tick of 0.1 per diff, while orders change far behind it. */
class MovingMarket {
  private readonly bids: Levels = new Map();
  private readonly asks: Levels = new Map();
  private id = 10;
  readonly lines: string[] = [];
  /** Best bid and ask after each update. */
  readonly best = new Map<string, readonly [bid: string, ask: string]>();

  constructor(
    readonly name: string,
    private readonly direction: 1 | -1,
  ) {
    for (let tick = 1; tick <= 200; tick++) {
      this.bids.set(1_000 - tick, '3');
      this.asks.set(1_000 + tick, '3');
    }
  }

  private at(step: number): number {
    return START_MS + step * STEP_MS;
  }

  private sorted(levels: Levels, away: 1 | -1): [string, string][] {
    return [...levels].sort(([a], [b]) => (a - b) * away).map(([tick, size]) => [(tick / 10).toFixed(1), size]);
  }

  snapshot(step: number, levels: number): string {
    const facts = { lastUpdateId: this.id, E: this.at(step), T: this.at(step), symbol: this.name };
    const [bids, asks] = [this.sorted(this.bids, -1).slice(0, levels), this.sorted(this.asks, 1).slice(0, levels)];
    return JSON.stringify({ stream: `${this.name.toLowerCase()}@depthSnapshot`, data: { ...facts, bids, asks } });
  }

  /** Fills the best ask or bid, and changes an order behind the snapshot. */
  step(step: number): string {
    const [from, to] = this.direction > 0 ? [this.asks, this.bids] : [this.bids, this.asks];
    const taken = this.direction > 0 ? Math.min(...from.keys()) : Math.max(...from.keys());
    const far = 1_000 + this.direction * (15 + (step % 3) + Math.floor(step / 2));
    const changes = (levels: Levels, changed: readonly (readonly [number, string])[]): [string, string][] =>
      changed.map(([tick, size]) => {
        if (size === '0') levels.delete(tick);
        else levels.set(tick, size);
        return [(tick / 10).toFixed(1), size];
      });
    const lost = changes(
      from,
      from.has(far) && far !== taken
        ? [
            [taken, '0'],
            [far, '7'],
          ]
        : [[taken, '0']],
    );
    const won = changes(to, [[taken, '2']]);
    const data = { e: 'depthUpdate', E: this.at(step), T: this.at(step), s: this.name, U: this.id, u: this.id + 2, pu: this.id };
    this.id += 2;
    this.best.set(String(this.id), [this.sorted(this.bids, -1)[0]?.[0] ?? '', this.sorted(this.asks, 1)[0]?.[0] ?? '']);
    const [b, a] = this.direction > 0 ? [won, lost] : [lost, won];
    return JSON.stringify({ stream: `${this.name.toLowerCase()}@depth@100ms`, data: { ...data, b, a } });
  }
}

function nameOf(market: Market): string {
  return market === 'binance-usdm' ? 'SOLUSDT' : 'BTCUSD_PERP';
}

function lineAt(step: number, text: string): string {
  return `${START_MS + step * STEP_MS}000000 ${text}`;
}

/** Books whose best prices differ from the market's. */
function wrongBooks(events: readonly MarketEvent[], market: MovingMarket): readonly BookEvent[] {
  return events.filter((event): event is BookEvent => {
    if (event.kind !== 'book' || event.venueId === '10') return false;
    const [bid, ask] = market.best.get(event.venueId) ?? [];
    return Number(event.bids[0]?.price) !== Number(bid) || Number(event.asks[0]?.price) !== Number(ask);
  });
}

function gapsOf(events: readonly MarketEvent[]) {
  return events.flatMap((event) => (event.kind === 'feed_status' && 'gapId' in event.status ? [event.status] : []));
}

describe.each<readonly [Market, 1 | -1]>([
  ['binance-usdm', 1],
  ['binance-usdm', -1],
  ['binance-coinm', 1],
])('%s, price moving by %d', (venue, direction) => {
  it('a recording has a book while its snapshot covers the market, and a gap from there on', async () => {
    const market = new MovingMarket(nameOf(venue), direction);
    const lines = [lineAt(0, market.snapshot(0, 10))];
    for (let step = 1; step <= STEPS; step++) lines.push(lineAt(step, market.step(step)));
    const { events, rejections } = await play(await openRecording([textFile('recording', `${lines.join('\n')}\n`)]));
    const books = events.filter(({ kind }) => kind === 'book');
    expect(wrongBooks(events, market)).toEqual([]);
    expect(books.length).toBeGreaterThanOrEqual(5);
    for (const book of books as BookEvent[]) expect(Math.min(book.bids.length, book.asks.length)).toBeGreaterThanOrEqual(5);
    const lastMs = books.at(-1)?.exchangeTsMs ?? 0;
    const [gap, end] = gapsOf(events);
    expect(gap).toMatchObject({ type: 'gap', channel: 'book', reason: 'sequence_gap', endMs: 0 });
    expect((gap?.startMs ?? Infinity) - lastMs).toBeLessThanOrEqual(2 * STEP_MS);
    expect(end).toMatchObject({ type: 'resynced', endMs: START_MS + STEPS * STEP_MS });
    expect(rejections).toMatchObject({ beyond_snapshot: 1 });
  });

  it('a recording goes on with its next snapshot', async () => {
    const market = new MovingMarket(nameOf(venue), direction);
    const lines = [lineAt(0, market.snapshot(0, 10))];
    for (let step = 1; step <= STEPS; step++) {
      lines.push(lineAt(step, market.step(step)));
      if (step === 30) lines.push(lineAt(step, market.snapshot(step, 100)));
    }
    const { events } = await play(await openRecording([textFile('recording', `${lines.join('\n')}\n`)]));
    expect(wrongBooks(events, market)).toEqual([]);
    expect(gapsOf(events).map(({ type, endMs }) => [type, endMs])).toEqual([
      ['gap', 0],
      ['resynced', START_MS + 30 * STEP_MS],
    ]);
    expect(events.filter((event) => event.kind === 'book' && event.exchangeTsMs > START_MS + 30 * STEP_MS).length).toBeGreaterThan(25);
  });

  it('a live book asks for a new snapshot before an entry has fewer levels than the market, and goes on with it', () => {
    const row = instrumentRows.find((each) => each.venue === venue && each.venueInstrument === nameOf(venue) && each.feed === 'binance');
    if (row === undefined) throw new Error('not in the table');
    const market = new MovingMarket(nameOf(venue), direction);
    const player = new LivePlayer(row, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: START_MS });
    player.connected(START_MS);
    player.accept(START_MS, lineAt(0, market.snapshot(0, 60)));
    let snapshots = 0;
    for (let step = 1; step <= STEPS; step++) {
      player.accept(START_MS + step * STEP_MS, lineAt(step, market.step(step)));
      if (!player.needsSnapshot) continue;
      snapshots++;
      player.accept(START_MS + step * STEP_MS + 10, lineAt(step, market.snapshot(step, 60)));
      expect(player.needsSnapshot).toBe(false);
    }
    const events = player.take().map(({ event }) => event);
    const books = events.filter((event): event is BookEvent => event.kind === 'book');
    expect(snapshots).toBeGreaterThan(0);
    expect(wrongBooks(events, market)).toEqual([]);
    for (const { bids, asks } of books) expect([bids.length, asks.length]).toEqual([25, 25]);
    expect(gapsOf(events).map(({ type }) => type)).toEqual(Array.from({ length: snapshots }, () => ['gap', 'resynced']).flat());
  });
});

it.each(['depth5', 'depth10@500ms', 'depth20@100ms'])(
  'messages of the stream %s are the best levels, and no changes of a book',
  async (stream) => {
    const market = new MovingMarket('SOLUSDT', 1);
    const lines = [lineAt(0, market.snapshot(0, 100)), lineAt(1, market.step(1)), lineAt(2, market.step(2).replace('depth@100ms', stream))];
    const { events, rejections } = await play(await openRecording([textFile('recording', `${lines.join('\n')}\n`)]));
    expect(rejections).toEqual({ unknown_message: 1 });
    expect(gapsOf(events)).toEqual([]);
  },
);
