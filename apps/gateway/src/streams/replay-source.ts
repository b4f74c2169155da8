import type { marketData } from '@market-state/contracts';
import { toServiceError, unavailable } from '@market-state/errors';
import { fromProtoSourceKind } from '../clients/source-kind';
import type { SourceKindName } from '../serving/meta/meta';
import { isBeyond } from './advance';
import type { FollowRowsDeps } from './follow-rows';
import { type Frame, makeMessage, renderedBytes } from './frame';
import { createGapNumbers } from './number-gaps';
import { createPatience } from './patience';
import { createPieceMaker } from './piece-maker';
import { resumeIdOf, type StreamPosition } from '../serving/handlers/stream-position';
import { publicGap } from '../serving/answers/public-gap';
import { gapFrame, publicPlan, publicReceipt, rowFrame } from './render-frames';
import type { Piece, ReceiptStatus, StreamSource } from '../serving/handlers/source';

/** A replay asked for, checked. */
export interface ReplayRequest {
  readonly symbol: string;
  /** Empty: those that the venue reports, control and packets. */
  readonly channels: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  /** 0: now. */
  readonly asOfMs: number;
  /** Times the recorded pace; 0: as fast as it is taken. */
  readonly speed: number;
  readonly after: StreamPosition | null;
}

const BEGINNING: StreamPosition = { epoch: 0, ordinal: 0, windowEndMs: 0, gapsSent: 0, packetSent: false };

/** In a replay everything stands in the order of the log: a packet right after the row that closed its window. */
function advanceInLog(position: StreamPosition, frame: Frame): StreamPosition {
  const { epoch, ordinal, windowEndMs } = frame;
  const gapsSent = position.ordinal === ordinal ? position.gapsSent : 0;
  switch (frame.kind) {
    case 'row':
      return { epoch, ordinal, windowEndMs: position.windowEndMs, gapsSent: 0, packetSent: false };
    case 'gap':
      return { epoch, ordinal, windowEndMs: position.windowEndMs, gapsSent: frame.gapNumber, packetSent: false };
    case 'packet':
      // The live stream had sent rows behind it, but not the packet: it was not made yet.
      if (ordinal < position.ordinal) return { ...position, windowEndMs };
      return { epoch, ordinal, windowEndMs, gapsSent, packetSent: true };
  }
}

/** Where the data plane goes on: it tells the gaps of the row again, and those had are left out here. */
function replayPosition({ epoch, ordinal, windowEndMs }: StreamPosition): marketData.LogPosition {
  return { epoch, ordinal, packetWindowEndMs: windowEndMs };
}

type ReplayFrames = AsyncGenerator<marketData.StreamReplayResponse>;

/** The first frame of a replay. */
async function readPlan(frames: ReplayFrames): Promise<marketData.ReplayPlan> {
  const first = await frames.next();
  if (first.done !== true && first.value.frame?.$case === 'plan') return first.value.frame.value;
  throw unavailable('upstream_unavailable', 'The replay did not begin.');
}

/**
 * Rows of a past window at a pace, with their plan first and their receipt last. A source that breaks is opened again after
 * the last message had. Throws the data plane's ServiceError when it refuses.
 */
export async function openReplaySource({ rows, logger }: FollowRowsDeps, request: ReplayRequest): Promise<StreamSource> {
  const { symbol, channels, startMs, endMs, speed, after } = request;
  const stop = new AbortController();
  const start = after ?? BEGINNING;
  let feedClockMs = 0;
  let position = start;
  let { asOfMs } = request;
  let receiptStatus: ReceiptStatus | null = null;

  async function* openFrames(): ReplayFrames {
    const from = position === BEGINNING ? undefined : replayPosition(position);
    yield* rows.call.streamReplay({ symbol, startMs, endMs, channels: [...channels], asOfMs, speed, after: from }, { signal: stop.signal });
  }

  let frames = openFrames();
  const plan = await readPlan(frames);
  asOfMs = plan.asOfMs;
  const sourceKind: SourceKindName = fromProtoSourceKind(plan.sourceKind);
  const maker = createPieceMaker();
  const gaps = createGapNumbers();

  /** A packet may have been had out of its place: live it is sent when it is made. */
  function take(frame: Frame): void {
    if (!isBeyond(frame, position)) return;
    position = advanceInLog(position, frame);
    feedClockMs = Math.max(feedClockMs, frame.receivedMs);
    maker.add(renderedBytes(frame, position));
  }

  function takeGap(gap: marketData.Gap): void {
    if (gap.place === undefined) maker.add([makeMessage('gap', publicGap(gap))]);
    else take(gapFrame(gap, gaps.next(gap, position)));
  }

  /** The pieces of one connection; true when it came to the receipt. */
  async function* readFrames(): AsyncGenerator<Piece, boolean, undefined> {
    for await (const { frame } of frames) {
      if (frame?.$case === 'rows') {
        for (const row of frame.value.rows) {
          take(rowFrame(row, row.receivedTsMs));
          if (maker.isFull()) yield maker.make(resumeIdOf(position));
        }
      } else if (frame?.$case === 'gap') takeGap(frame.value);
      else if (frame?.$case === 'heartbeat') feedClockMs = Math.max(feedClockMs, frame.value.feedClockMs);
      else if (frame?.$case === 'receipt') {
        const receipt = publicReceipt(frame.value);
        receiptStatus = receipt.status;
        maker.add([makeMessage('receipt', receipt)]);
        yield maker.make(resumeIdOf(position));
        return true;
      }
      if (!maker.isEmpty()) yield maker.make(resumeIdOf(position));
    }
    if (stop.signal.aborted) return true;
    throw unavailable('upstream_unavailable', 'The replay ended without its receipt.');
  }

  async function* pieces(signal: AbortSignal): AsyncGenerator<Piece, void, undefined> {
    signal.addEventListener('abort', () => stop.abort(), { once: true });
    const patience = createPatience(stop.signal);
    maker.add([makeMessage('plan', publicPlan(plan))]);
    yield maker.make(resumeIdOf(position));
    for (let ended = false; !ended && !stop.signal.aborted; ) {
      const before = position;
      try {
        ended = yield* readFrames();
      } catch (thrown) {
        if (position !== before) patience.heard();
        const error = toServiceError(thrown);
        logger.warn({ symbol, reason: error.reason, detail: error.detail }, 'a replay broke; it is opened again after the last row');
        await patience.beforeNextTry(error);
        gaps.restart();
        frames = openFrames();
      }
    }
  }

  return {
    heartbeatFirst: false,
    startId: resumeIdOf(start),
    pieces,
    feedClockMs: () => feedClockMs,
    sourceKinds: () => [sourceKind],
    receiptStatus: () => receiptStatus,
    close: () => stop.abort(),
  };
}
