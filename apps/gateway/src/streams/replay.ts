import type { marketData } from '@market-state/contracts';
import { unavailable, toServiceError } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import { type MarketDataClient, fromProtoSourceKind } from '../clients/market-data-client';
import { InvalidRequest } from '../serving/errors/problem';
import { toUtc } from '../serving/meta/meta';
import { STREAM_LIMITS } from './limits';
import { publicGap } from '../serving/answers/public-row';
import type { Piece, ReceiptStatus, StreamSource } from '../serving/answers/handler';
import { type StreamPosition, resumeIdOf, createPositionVector } from './position';
import { type FollowRowsDeps, createPatience } from './follow-rows';
import { type Frame, makeMessage, renderedBytes, withId, isBeyond, createGapNumbers } from './frame';
import { createPieceMaker } from './symbol-readers';
import { publicPlan, publicReceipt, gapFrame, rowFrame } from './render-frames';

export const DEFAULT_WINDOW_MS = 300_000;

export const WINDOW_MS_MAX = 3_600_000;

/** Exchange time; the end is exclusive. */
export interface ReplayWindow {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Default: the last 5 minutes up to the feed clock; without a start, the 5 minutes before the end; without an end, up
 * to an hour from the start but not past the feed clock.
 * @throws {InvalidRequest} without an end, if the start is not before the feed clock
 */
export function windowOf(
  startMs: number | null,
  endMs: number | null,
  feedClockMs: number,
  names: readonly [string, string] = ['start', 'end'],
): ReplayWindow {
  if (endMs !== null) return { startMs: startMs ?? Math.max(0, endMs - DEFAULT_WINDOW_MS), endMs };
  if (startMs === null) return { startMs: feedClockMs - DEFAULT_WINDOW_MS, endMs: feedClockMs };
  if (startMs < feedClockMs) return { startMs, endMs: Math.min(startMs + WINDOW_MS_MAX, feedClockMs) };
  throw new InvalidRequest([
    { loc: ['query', names[0]], msg: `must be before the feed clock, ${toUtc(feedClockMs)}, if ${names[1]} is empty`, type: 'window' },
  ]);
}

/** `windowOf`, but without an end up to a day. */
export function streamWindowOf(startMs: number | null, endMs: number | null, feedClockMs: number): ReplayWindow {
  if (startMs === null || endMs !== null || startMs >= feedClockMs) return windowOf(startMs, endMs, feedClockMs);
  return { startMs, endMs: Math.min(startMs + STREAM_LIMITS.replayMs, feedClockMs) };
}

const PLAN_MS = 2_000;
const PLAN_AND_RECEIPT = 2;

type Wanted = Pick<marketData.StreamReplayRequest, 'symbol' | 'startMs' | 'endMs' | 'channels' | 'asOfMs'>;

interface ReplaySize {
  readonly rows: ReadonlyMap<string, number>;
  /** Upper bound: rows, gaps, plan and receipt. */
  readonly messagesMax: number;
}

/**
 * Counted from the plan without reading rows. Rejects as the replay would, or with DEADLINE_EXCEEDED or UNAVAILABLE.
 */
export async function plannedSize(client: Pick<MarketDataClient, 'call'>, wanted: Wanted): Promise<ReplaySize> {
  const { channels, rowsExpected: total, gapFramesMax } = await planOf(client, wanted);
  const plans = await Promise.all(channels.map((channel) => planOf(client, { ...wanted, channels: [channel] })));
  return {
    rows: new Map(plans.map(({ rowsExpected }, at) => [channels[at] ?? '', rowsExpected])),
    messagesMax: total + gapFramesMax + PLAN_AND_RECEIPT,
  };
}

async function planOf({ call }: Pick<MarketDataClient, 'call'>, wanted: Wanted): Promise<marketData.ReplayPlan> {
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, timeLimit(PLAN_MS)]);
  try {
    for await (const { frame } of call.streamReplay({ ...wanted, speed: 0, after: undefined, further: [] }, { signal }))
      if (frame?.$case === 'plan') return frame.value;
  } finally {
    enough.abort();
  }
  throw unavailable('upstream_unavailable', 'The rows of this window could not be counted.');
}

const BEGINNING: StreamPosition = { epoch: 0, ordinal: 0, windowEndMs: 0, gapsSent: 0, packetSent: false };

/** In a replay a packet comes directly after the row that closed its window. */
function advanceInLog(position: StreamPosition, frame: Frame): StreamPosition {
  const { epoch, ordinal, windowEndMs } = frame;
  const gapsSent = position.ordinal === ordinal ? position.gapsSent : 0;
  switch (frame.kind) {
    case 'row':
      return { epoch, ordinal, windowEndMs: position.windowEndMs, gapsSent: 0, packetSent: false };
    case 'gap':
      return { epoch, ordinal, windowEndMs: position.windowEndMs, gapsSent: frame.gapNumber, packetSent: false };
    case 'packet':
      // The live stream had sent later rows before this packet was made.
      if (ordinal < position.ordinal) return { ...position, windowEndMs };
      return { epoch, ordinal, windowEndMs, gapsSent, packetSent: true };
  }
}

interface ReplayedSymbol {
  readonly symbol: string;
  position(): StreamPosition;
  /** The data plane repeats the row's gaps; those already sent are skipped here. Undefined: from the start. */
  logPosition(): marketData.LogPosition | undefined;
  /** Null if already sent: live packets are sent when made, out of log order. */
  takeRow(row: marketData.DataRow): Frame | null;
  /** Null if already sent. */
  takeGap(gap: marketData.Gap): Frame | null;
  restart(): void;
}

function createReplayedSymbol(symbol: string, after: StreamPosition | null): ReplayedSymbol {
  const gaps = createGapNumbers();
  let position = after ?? BEGINNING;

  function take(frame: Frame): Frame | null {
    if (!isBeyond(frame, position)) return null;
    position = advanceInLog(position, frame);
    return frame;
  }

  return {
    symbol,
    position: () => position,
    logPosition() {
      const { epoch, ordinal, windowEndMs } = position;
      return position === BEGINNING ? undefined : { epoch, ordinal, packetWindowEndMs: windowEndMs };
    },
    takeRow: (row) => take(rowFrame(row, row.receivedTsMs)),
    takeGap: (gap) => take(gapFrame(gap, gaps.next(gap, position))),
    restart: () => gaps.restart(),
  };
}

interface ReplayIds {
  /** Null before the first message. */
  current(): string | null;
  bytesOf(symbol: ReplayedSymbol, frame: Frame): readonly Buffer[];
}

/** With several symbols, the id combines their positions. */
function replayIds(symbols: readonly ReplayedSymbol[]): ReplayIds {
  const [only] = symbols;
  if (only !== undefined && symbols.length === 1)
    return { current: () => resumeIdOf(only.position()), bytesOf: (_symbol, frame) => renderedBytes(frame, only.position()) };
  const vector = createPositionVector(symbols.map((each) => [each.symbol, each.position()] as const));
  return {
    current: () => (symbols.every((each) => each.logPosition() === undefined) ? null : vector.id()),
    bytesOf: ({ symbol, position }, frame) => withId(vector.move(symbol, position()), frame),
  };
}

export interface ReplayRequest {
  /** Distinct; `after` is null at the start. Simultaneous rows are sent in this order. */
  readonly symbols: readonly { readonly symbol: string; readonly after: StreamPosition | null }[];
  /** Empty: those of the venue, control and packets. */
  readonly channels: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  /** 0: now. */
  readonly asOfMs: number;
  /** Multiple of the recorded pace; 0: unpaced. */
  readonly speed: number;
}

type ReplayFrames = AsyncGenerator<marketData.StreamReplayResponse>;

async function readPlans(frames: ReplayFrames, total: number): Promise<marketData.ReplayPlan[]> {
  const plans: marketData.ReplayPlan[] = [];
  while (plans.length < total) {
    const next = await frames.next();
    if (next.done === true || next.value.frame?.$case !== 'plan') throw unavailable('upstream_unavailable', 'The replay did not start.');
    plans.push(next.value.frame.value);
  }
  return plans;
}

/**
 * Starts with each symbol's plan and ends with its receipt. A broken source is reopened after the last message.
 * @throws {ServiceError} on refusal
 */
export async function openReplaySource({ rows, logger }: FollowRowsDeps, request: ReplayRequest): Promise<StreamSource> {
  const { channels, startMs, endMs, speed } = request;
  const symbols = request.symbols.map(({ symbol, after }) => createReplayedSymbol(symbol, after));
  const ids = replayIds(symbols);
  const startId = ids.current();
  const stop = new AbortController();
  let asOfMs = symbols.map(() => request.asOfMs);
  let feedClockMs = 0;
  let contentTotal = 0;
  const receipts: ReceiptStatus[] = [];

  async function* openFrames(): ReplayFrames {
    const [first, ...further] = symbols.map((each, at) => ({ symbol: each.symbol, asOfMs: asOfMs[at] ?? 0, after: each.logPosition() }));
    if (first === undefined) return;
    yield* rows.call.streamReplay({ ...first, startMs, endMs, channels: [...channels], speed, further }, { signal: stop.signal });
  }

  let frames = openFrames();
  const plans = await readPlans(frames, symbols.length);
  asOfMs = plans.map((plan) => plan.asOfMs);
  const sourceKinds = plans.map((plan) => fromProtoSourceKind(plan.sourceKind));
  const maker = createPieceMaker();

  function add(symbol: ReplayedSymbol | undefined, frame: Frame | null | undefined): void {
    if (symbol === undefined || frame === null || frame === undefined) return;
    feedClockMs = Math.max(feedClockMs, frame.receivedMs);
    contentTotal += 1;
    maker.add(ids.bytesOf(symbol, frame));
  }

  function addGap(gap: marketData.Gap): void {
    if (gap.place === undefined) return maker.add([makeMessage('gap', publicGap(gap))]);
    const symbol = symbols.find((each) => each.symbol === gap.symbol);
    add(symbol, symbol?.takeGap(gap));
  }

  /** `at`: index of the symbol. A reopened connection repeats receipts. */
  function addReceipt(completeness: marketData.Completeness, at: number): void {
    if (at < receipts.length) return;
    const receipt = publicReceipt(completeness);
    receipts.push(receipt.status);
    maker.add([makeMessage('receipt', symbols.length === 1 ? receipt : { symbol: symbols[at]?.symbol, ...receipt })]);
  }

  function* rowPieces(batch: readonly marketData.DataRow[], of: readonly number[]): Generator<Piece> {
    for (const [at, row] of batch.entries()) {
      const symbol = symbols[of[at] ?? 0];
      add(symbol, symbol?.takeRow(row));
      if (maker.isFull()) yield maker.make(ids.current());
    }
  }

  /** Returns true after the last receipt. */
  async function* readFrames(): AsyncGenerator<Piece, boolean, undefined> {
    let receiptTotal = 0;
    for await (const { frame } of frames) {
      if (frame?.$case === 'rows') yield* rowPieces(frame.value.rows, []);
      else if (frame?.$case === 'mergedRows') yield* rowPieces(frame.value.rows, frame.value.of);
      else if (frame?.$case === 'gap') addGap(frame.value);
      else if (frame?.$case === 'heartbeat') feedClockMs = Math.max(feedClockMs, frame.value.feedClockMs);
      else if (frame?.$case === 'receipt') addReceipt(frame.value, receiptTotal++);
      if (!maker.isEmpty()) yield maker.make(ids.current());
      if (receiptTotal === symbols.length) return true;
    }
    if (stop.signal.aborted) return true;
    throw unavailable('upstream_unavailable', 'The replay ended without a receipt.');
  }

  async function* pieces(signal: AbortSignal): AsyncGenerator<Piece, void, undefined> {
    signal.addEventListener('abort', () => stop.abort(), { once: true });
    const patience = createPatience(stop.signal);
    for (const plan of plans) maker.add([makeMessage('plan', publicPlan(plan))]);
    yield maker.make(ids.current());
    for (let ended = false; !ended && !stop.signal.aborted; ) {
      const before = contentTotal;
      try {
        ended = yield* readFrames();
      } catch (thrown) {
        if (contentTotal !== before) patience.heard();
        const error = toServiceError(thrown);
        const names = symbols.map(({ symbol }) => symbol);
        logger.warn({ symbols: names, reason: error.reason, detail: error.detail }, 'replay broke; reopening it after the last row');
        await patience.beforeNextTry(error);
        for (const symbol of symbols) symbol.restart();
        frames = openFrames();
      }
    }
  }

  return {
    heartbeatFirst: false,
    startId,
    pieces,
    feedClockMs: () => feedClockMs,
    sourceKinds: () => sourceKinds,
    receiptStatus: () =>
      receipts.length < symbols.length ? null : receipts.every((status) => status === 'complete') ? 'complete' : 'partial',
    close: () => stop.abort(),
  };
}
