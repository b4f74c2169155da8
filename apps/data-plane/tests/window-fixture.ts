import { createHash } from 'node:crypto';
import type { labeling, marketData } from '@market-state/contracts';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import type { System } from './rpc-harness';

/** Start of the fixture's windows, after the first book. */
export const WINDOW_MS = START_MS + 60_000;

/** 90 s of market on every channel, without gaps. */
export function fullMarket(): LogFixture {
  const fixture = new LogFixture().connected(START_MS, ['book', 'trade', 'context', 'liquidation']).tick(START_MS);
  fixture.book(START_MS + 100, '1', '100', '101');
  for (let step = 1; step <= 600; step += 1) {
    const atMs = START_MS + step * 250;
    fixture.book(atMs - 120, String(1_000 + step), String(100 + (step % 9)), String(110 + (step % 9)));
    if (step % 2 === 0) fixture.trade(atMs - 60, String(step), `${100 + (step % 7)}.25`, '0.125');
    if (step % 40 === 0) fixture.context(atMs - 50, { markPrice: `10${step % 10}.50`, fundingRate: '0.0000125' });
    if (step % 50 === 0)
      fixture.liquidation(atMs - 40, `l${step}`, { positionSide: 'long', price: '100', size: '0.5', provenance: 'venue_reported' });
    fixture.tick(atMs);
  }
  return fixture;
}

/** Packets of every window, closed by the first tick a second after its end. */
export function packetsOf(fixture: LogFixture): labeling.PacketRecord[] {
  const ticks = fixture.events.filter((event) => event.kind === 'tick');
  const packets: labeling.PacketRecord[] = [];
  for (let windowEndMs = Math.ceil(START_MS / 10_000) * 10_000; ; windowEndMs += 10_000) {
    const closing = ticks.find(({ exchangeTsMs }) => exchangeTsMs >= windowEndMs + 1_000);
    if (closing === undefined) return packets;
    const body = Buffer.from(JSON.stringify({ window: windowEndMs }));
    packets.push({
      symbol: SYMBOL,
      windowEndMs,
      sequence: packets.length + 1,
      packetId: `packet-${windowEndMs}`,
      eventId: `event-${windowEndMs}`,
      body,
      packetDigest: createHash('sha256').update(body).digest('hex'),
      lineageDigest: '',
      inputDigest: '',
      policyDigest: '',
      generatedTsMs: closing.exchangeTsMs,
      sourceLagMs: 0,
      headline: '',
      customerNextStep: '',
      sourceKind: 'SOURCE_KIND_RECORDED' as marketData.SourceKind,
      signature: Buffer.alloc(0),
      signingKeyId: '',
      closingEpoch: closing.epoch,
      closingOrdinal: closing.ordinal,
      knownTsMs: closing.receivedTsMs,
    });
  }
}

export const EVERYTHING = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'];

function windowRequest(request: Partial<marketData.ReadWindowRequest> = {}): marketData.ReadWindowRequest {
  return { symbol: SYMBOL, startMs: WINDOW_MS, endMs: WINDOW_MS + 60_000, channels: [], asOfMs: 0, pageSize: 0, pageToken: '', ...request };
}

/** Rows, end and message sizes of a page. */
export interface Page {
  readonly rows: marketData.DataRow[];
  readonly end: marketData.WindowPageEnd;
  readonly messageRows: readonly number[];
}

export async function readPage(call: System['call'], request: Partial<marketData.ReadWindowRequest> = {}): Promise<Page> {
  const rows: marketData.DataRow[] = [];
  const messageRows: number[] = [];
  let end: marketData.WindowPageEnd | undefined;
  for await (const message of call.readWindow(windowRequest(request))) {
    if (end !== undefined) throw new Error('a message came after the last');
    rows.push(...message.rows);
    messageRows.push(message.rows.length);
    end = message.end;
  }
  if (end === undefined) throw new Error('the page has no end');
  return { rows, end, messageRows };
}

/** `between` runs after each page. */
export async function readPages(
  call: System['call'],
  request: Partial<marketData.ReadWindowRequest>,
  between: () => Promise<void> = async () => undefined,
): Promise<Page[]> {
  const pages: Page[] = [];
  let pageToken = '';
  do {
    const page = await readPage(call, { ...request, pageToken });
    pages.push(page);
    pageToken = page.end.nextPageToken;
    await between();
  } while (pageToken !== '');
  return pages;
}

/** Reference implementation of the chain, from lines and digests. */
export function chainOf(rows: readonly marketData.DataRow[]): string {
  let link: Buffer = Buffer.alloc(32);
  for (const { line, packetDigest } of rows)
    link = createHash('sha256')
      .update(link)
      .update(packetDigest === '' ? line : packetDigest)
      .digest();
  return link.toString('hex');
}

/** Comparable text of a row. */
export function rowText({
  channel,
  sequence,
  epoch,
  exchangeTsMs,
  receivedTsMs,
  flags,
  line,
  packetDigest,
  packetWindowEndMs,
}: marketData.DataRow): string {
  return [channel, sequence, epoch, exchangeTsMs, receivedTsMs, flags, line.toString(), packetDigest, packetWindowEndMs].join('|');
}
