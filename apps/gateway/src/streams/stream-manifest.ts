import { plans } from '@market-state/pricing';
import { type labeling, marketData } from '@market-state/contracts';
import { createState, loadPolicy, reduce } from '@market-state/labeler';
import { gapIdOf, type MarketEvent, rowLine } from '@market-state/market-data';
import { CHANNEL_NAMES } from '../clients/market-data-client';
import type { OwnFields } from '../serving/answers/data-answer';
import { createInterval } from './conflate';
import { type Frame, makeMessage, type MessageKind, type Rendered } from './frame';
import { STREAM_LIMITS } from './limits';
import { formatPosition, formatPositions, type StreamPosition } from './position';
import { gapFrame, packetFrame, packetPosition, publicPlan, publicReceipt, rowFrame } from './render-frames';
import { renderSkipped } from './ring';
import { renderEnd, renderHeartbeat } from './send-stream';
import { END_CODES } from './transport';

const ROUTES = {
  live: '/api/public/data/stream',
  replay: '/api/public/data/stream/replay',
  packets: '/api/public/market-state/stream',
} as const;

const ALL_ROUTES = Object.values(ROUTES);

interface Kind {
  readonly routes: readonly string[];
  readonly has_id: boolean;
  readonly schema: string;
  readonly meaning: string;
  readonly example: string;
}

function conflatedExample(frame: Frame, symbol: string): Rendered {
  const interval = createInterval(symbol, 500);
  interval.add(frame);
  const { epoch, ordinal } = frame;
  const message = interval.take({ epoch, ordinal, windowEndMs: 0, gapsSent: 0, packetSent: false });
  if (message === null) throw new Error('the example interval has no row');
  return message;
}

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

interface ExampleMarket {
  readonly row: marketData.DataRow;
  readonly gap: marketData.Gap;
  readonly packet: labeling.PacketRecord;
}

/** The packet comes from the real labeler. Throws if no window closes. */
function exampleMarket(): ExampleMarket {
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

/** Examples are rendered by the production code. */
function messageKinds(): Readonly<Record<MessageKind, Kind>> {
  const { row, gap, packet } = exampleMarket();
  const position: StreamPosition = { epoch: row.epoch, ordinal: row.sequence, windowEndMs: 0, gapsSent: 0, packetSent: false };
  const later: StreamPosition = { ...position, ordinal: position.ordinal + 12 };
  const plan = {
    symbol: packet.symbol,
    venue: 'simulated',
    sourceKind: packet.sourceKind,
    startMs: row.exchangeTsMs,
    endMs: packet.windowEndMs,
    channels: ['trades'],
    asOfMs: packet.windowEndMs,
    speed: 10,
    rowsExpected: 1,
    gapIds: [gap.gapId],
    gapFramesMax: 1,
  };
  const receipt = {
    rowsExpected: 1,
    rowsSent: 1,
    gapIds: [gap.gapId],
    rowsSha256: packet.inputDigest,
    complete: false,
    reasons: ['gaps_in_window'],
  };
  const rows = [ROUTES.live, ROUTES.replay];
  const say = (bytes: Buffer): string => bytes.toString('utf8');
  return {
    plan: {
      routes: [ROUTES.replay],
      has_id: false,
      schema: 'StreamPlan',
      meaning: 'First message of a replay: what it will send.',
      example: say(makeMessage('plan', publicPlan(plan))),
    },
    row: {
      routes: rows,
      has_id: true,
      schema: 'DataRow',
      meaning: 'A row of a channel; the same bytes live and replayed.',
      example: say(rowFrame(row, row.receivedTsMs).bytes),
    },
    gap: {
      routes: rows,
      has_id: true,
      schema: 'Gap',
      meaning: 'An entry of the gap ledger, where rows are missing.',
      example: say(gapFrame(gap, { epoch: 1, ordinal: gap.place?.ordinal ?? 0, gapNumber: 1 }).bytes),
    },
    packet: {
      routes: [ROUTES.packets],
      has_id: true,
      schema: 'StreamPacket',
      meaning: 'A packet as it was made; with view=compact a CompactPacket, one screen of it.',
      example: say(packetFrame(packet, 'packet').bytes),
    },
    conflated: {
      routes: [ROUTES.live],
      has_id: true,
      schema: 'StreamConflated',
      meaning:
        'With conflate_ms, the rows of a symbol in one interval: all except the books and clock ticks replaced by a newer one, ' +
        'which are counted.',
      example: say(conflatedExample(rowFrame(row, row.receivedTsMs), packet.symbol).bytes),
    },
    skipped: {
      routes: [ROUTES.live, ROUTES.packets],
      has_id: false,
      schema: 'StreamSkipped',
      meaning: 'The reader was too slow and these messages were not sent. Reconnect with Last-Event-ID set to from_id to receive them.',
      example: say(
        renderSkipped(
          { rowTotal: 12, gapTotal: 0, byChannel: { trades: 12 } },
          { symbol: packet.symbol, fromId: formatPosition(position), toId: formatPosition(later) },
        ),
      ),
    },
    heartbeat: {
      routes: ALL_ROUTES,
      has_id: true,
      schema: 'StreamHeartbeat',
      meaning: 'The stream is open. The id is the current position, so a stream of infrequent rows resumes where it was cut.',
      example: say(renderHeartbeat({ feedClockMs: () => packet.windowEndMs, sourceKinds: () => ['simulated'] }, formatPosition(position))),
    },
    receipt: {
      routes: [ROUTES.replay],
      has_id: false,
      schema: 'Completeness',
      meaning: 'Completeness of the replay; sent before its end.',
      example: say(makeMessage('receipt', publicReceipt(receipt))),
    },
    end: {
      routes: ALL_ROUTES,
      has_id: false,
      schema: 'StreamEnd',
      meaning: 'Last message: why the stream ended, and where to resume.',
      example: say(renderEnd('service_stopping', formatPosition(packetPosition(packet)))),
    },
  };
}

export function streamManifest(): OwnFields<'StreamManifest'> {
  const { row } = exampleMarket();
  return {
    protocol: {
      name: 'server-sent events',
      specification: 'https://html.spec.whatwg.org/multipage/server-sent-events.html',
      content_type: 'text/event-stream; charset=utf-8',
      credential: 'x-market-state-api-key',
      retry_ms: STREAM_LIMITS.retryMs,
    },
    routes: [
      {
        route: ROUTES.live,
        parameters: ['symbol', 'venue', 'channels', 'conflate_ms'],
        resumes: true,
        paced_by: 'market',
        slow_reader: 'skipped',
      },
      {
        route: ROUTES.replay,
        parameters: ['symbol', 'venue', 'channels', 'start', 'end', 'as_of', 'speed'],
        resumes: true,
        paced_by: 'speed',
        slow_reader: 'waits',
      },
      { route: ROUTES.packets, parameters: ['symbol', 'venue', 'view'], resumes: true, paced_by: 'market', slow_reader: 'skipped' },
    ],
    channels: CHANNEL_NAMES,
    message_kinds: Object.entries(messageKinds()).map(([kind, facts]) => ({ kind, ...facts })),
    end_codes: END_CODES,
    resume: {
      header: 'Last-Event-ID',
      id_form: '<epoch>-<ordinal>-<window end ms>',
      id_form_of_several: '<base asset>[@<venue>]-<epoch>-<ordinal>-<window>[-<sent>], numbers in base 36, of each symbol, joined by dots',
      id_example: formatPosition({ epoch: row.epoch, ordinal: row.sequence, windowEndMs: 0, gapsSent: 0, packetSent: false }),
      id_example_of_several: formatPositions([
        ['BTCUSD-PERP', { epoch: 1, ordinal: 27_842, windowEndMs: 1_767_225_600_000, gapsSent: 0, packetSent: false }],
        ['ETHUSD-PERP', { epoch: 1, ordinal: 9_120, windowEndMs: 1_767_225_600_000, gapsSent: 1, packetSent: false }],
      ]),
      rule:
        'Send the id of the last message received: the stream resumes after it, with nothing lost or repeated. Ids are opaque; those ' +
        'of live rows and replays are interchangeable, those of packet streams are separate. A replay resumes with the ' +
        'start and end of its plan; a replay of several symbols has a plan and a receipt for each. An id of several symbols has a position in each and resumes a stream of any of them. A ' +
        'symbol missing from the id starts with the next row or, in a packet stream, after the newest window in the id.',
      beyond_retention:
        'If the rows after an id are no longer retained, it is refused with 410; an id of another stream is refused with 422. With several ' +
        'symbols, 410 names those that are gone, and resume_id continues with the others.',
    },
    heartbeat: {
      interval_ms: STREAM_LIMITS.heartbeatMs,
      first: 'immediately; in a replay the plan comes first',
      silence_ms: 2 * STREAM_LIMITS.heartbeatMs,
    },
    limits: {
      streams_by_plan: plans.map(({ planId, tier, limits }) => ({
        plan_id: planId,
        tier,
        streams: limits.streams,
        replays: limits.replays,
      })),
      streams_per_gateway: STREAM_LIMITS.streamsMax,
      streams_kept_for_paying_plans: STREAM_LIMITS.streamsKeptForPaying,
      symbols_per_stream: STREAM_LIMITS.symbolsMax,
      memory_messages_per_symbol: STREAM_LIMITS.ringFramesMax,
      memory_bytes_per_symbol: STREAM_LIMITS.ringBytesMax,
      memory_packets_per_symbol: STREAM_LIMITS.packetRingFramesMax,
      replay_window_ms: STREAM_LIMITS.replayMs,
      replay_speeds: ['1..100', 'max'],
    },
  };
}
