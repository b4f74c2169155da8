import type { marketData } from '@market-state/contracts';
import { toServiceError, unavailable } from '@market-state/errors';
import { fromProtoSourceKind } from '../clients/source-kind';
import { publicGap } from '../serving/answers/public-row';
import type { Piece, ReceiptStatus, StreamSource } from '../serving/answers/handler';
import type { StreamPosition } from './position';
import type { FollowRowsDeps } from './follow-rows';
import { type Frame, makeMessage } from './frame';
import { createPatience } from './patience';
import { createPieceMaker } from './piece-maker';
import { publicPlan, publicReceipt } from './render-frames';
import { createReplayedSymbol, type ReplayedSymbol } from './replayed-symbol';
import { replayIds } from './replay-ids';

/** A replay asked for, checked. */
export interface ReplayRequest {
  /** One or several, each once, and where its reader was: null at the start. Those received at once come in this order. */
  readonly symbols: readonly { readonly symbol: string; readonly after: StreamPosition | null }[];
  /** Empty: those that the venue reports, control and packets. */
  readonly channels: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  /** 0: now. */
  readonly asOfMs: number;
  /** Times the recorded pace; 0: as fast as it is taken. */
  readonly speed: number;
}

type ReplayFrames = AsyncGenerator<marketData.StreamReplayResponse>;

/** The first frames of a replay, one for each symbol. */
async function readPlans(frames: ReplayFrames, total: number): Promise<marketData.ReplayPlan[]> {
  const plans: marketData.ReplayPlan[] = [];
  while (plans.length < total) {
    const next = await frames.next();
    if (next.done === true || next.value.frame?.$case !== 'plan') throw unavailable('upstream_unavailable', 'The replay did not begin.');
    plans.push(next.value.frame.value);
  }
  return plans;
}

/**
 * Rows of a past window at a pace, with the plan of each symbol first and the receipt of each last. A source that breaks is opened again
 * after the last message had. Throws the data plane's ServiceError when it refuses.
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

  /** `at`: of which symbol; a connection that was opened again brings those that were had once more. */
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

  /** The pieces of one connection; true when it came to the last receipt. */
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
    throw unavailable('upstream_unavailable', 'The replay ended without its receipt.');
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
        logger.warn(
          { symbols: names, reason: error.reason, detail: error.detail },
          'a replay broke; it is opened again after the last row',
        );
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
