import { type labeling, marketData } from '@market-state/contracts';
import { createState, loadPolicy, reduce } from '@market-state/labeler';
import { gapIdOf, type MarketEvent, rowLine } from '@market-state/market-data';

const SYMBOL = 'SIMUSD-PERP';
const VENUE = 'simulated';
const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

type Body<T> = T extends MarketEvent
  ? Omit<T, 'venue' | 'symbol' | 'pass' | 'ordinal' | 'epoch' | 'exchangeTsIsReceiveTime' | 'receivedTsMs'>
  : never;

function exampleEvents(): MarketEvent[] {
  const gap = {
    gapId: gapIdOf({ venue: VENUE, symbol: SYMBOL, pass: 0, reason: 'disconnected', startMs: START_MS, lastVenueId: '41' }),
    startMs: START_MS,
    endMs: START_MS + 750,
  };
  const level = (price: number) => ({ price: String(price), size: '1.5' });
  const bodies: Body<MarketEvent>[] = [
    {
      kind: 'feed_status',
      venueId: '',
      exchangeTsMs: START_MS,
      status: {
        type: 'connected',
        channels: ['book', 'trade'],
        bookStalenessMs: 5_000,
        tradeStalenessMs: 60_000,
        contextStalenessMs: 120_000,
        closingLagMs: 1_000,
        sourceKind: 'simulated',
      },
    },
    { kind: 'book', venueId: '41', exchangeTsMs: START_MS + 250, bids: [level(99.5), level(99)], asks: [level(100), level(100.5)] },
    { kind: 'trade', venueId: '42', exchangeTsMs: START_MS + 500, price: '100', size: '0.25', aggressorSide: 'buy' },
    { kind: 'feed_status', venueId: '', exchangeTsMs: START_MS + 750, status: { type: 'gap', ...gap, reason: 'disconnected' } },
  ];
  for (let clockMs = START_MS + 1_000; clockMs <= START_MS + 11_000; clockMs += 250)
    bodies.push({ kind: 'tick', venueId: '', exchangeTsMs: clockMs, feedClockMs: clockMs });
  return bodies.map((body, index) => {
    const event: MarketEvent = {
      venue: VENUE,
      symbol: SYMBOL,
      pass: 0,
      exchangeTsIsReceiveTime: false,
      receivedTsMs: body.exchangeTsMs,
      epoch: 1,
      ordinal: index + 1,
      ...body,
    };
    return event;
  });
}

function exampleRow(event: MarketEvent, channel: string): marketData.DataRow {
  const { ordinal, epoch, exchangeTsMs, receivedTsMs } = event;
  return {
    channel,
    sequence: ordinal,
    epoch,
    exchangeTsMs,
    receivedTsMs,
    flags: 16,
    line: Buffer.from(rowLine(event)),
    packetDigest: '',
    packetWindowEndMs: 0,
  };
}

export interface ExampleMarket {
  readonly row: marketData.DataRow;
  readonly gap: marketData.Gap;
  readonly packet: labeling.PacketRecord;
}

/** The packet comes from the real labeler. Throws if no window closes. */
export function exampleMarket(): ExampleMarket {
  const events = exampleEvents();
  const trade = events.find(({ kind }) => kind === 'trade');
  const gap = events.flatMap((event) =>
    event.kind === 'feed_status' && event.status.type === 'gap' ? [{ ...event.status, ordinal: event.ordinal }] : [],
  )[0];
  const state = createState(SYMBOL, loadPolicy());
  const [made] = events.flatMap((event) => reduce(state, event));
  if (trade === undefined || gap === undefined || made === undefined) throw new Error('the example market has no trade, gap or packet');
  return {
    row: exampleRow(trade, 'trades'),
    gap: {
      gapId: gap.gapId,
      symbol: SYMBOL,
      channel: '',
      startMs: gap.startMs,
      endMs: gap.endMs,
      reason: gap.reason,
      resolution: 'resumed',
      place: { epoch: 1, ordinal: gap.ordinal, packetWindowEndMs: 1 },
    },
    packet: {
      symbol: SYMBOL,
      windowEndMs: made.windowEndMs,
      sequence: 1,
      packetId: made.packetId,
      eventId: made.eventId,
      body: Buffer.from(made.body),
      packetDigest: made.packetDigest,
      lineageDigest: made.lineageDigest,
      inputDigest: made.inputDigest,
      policyDigest: made.policyDigest,
      generatedTsMs: made.windowEndMs + 1_000,
      sourceLagMs: 0,
      headline: made.headline,
      customerNextStep: made.customerNextStep,
      sourceKind: marketData.SourceKind.SIMULATED,
      signature: Buffer.alloc(0),
      signingKeyId: '',
      closingEpoch: 1,
      closingOrdinal: made.closingOrdinal,
      knownTsMs: made.windowEndMs + 1_000,
    },
  };
}
