import type { marketData } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../clients/source-kind';
import type { SourceKindName } from '../http/meta';
import { type Frame, frameBytes, makeMessage } from './frame';
import { createPieceMaker } from './piece-maker';
import { logPosition, type Place } from './place';
import { gapFrame, publicGap, publicPlan, publicReceipt, rowFrame } from './render-frames';
import type { Piece, StreamSource } from './source';

/** A replay asked for, checked. */
export interface ReplayRequest {
  readonly symbol: string;
  /** Empty: every channel. */
  readonly channels: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  /** 0: now. */
  readonly asOfMs: number;
  /** Times the recorded pace; 0: as fast as it is taken. */
  readonly speed: number;
  readonly after: Place | null;
}

const BEGINNING: Place = { epoch: 0, ordinal: 0, windowEndMs: 0, gapTold: false, packetTold: false };

/** In a replay everything stands in the order of the log: a packet right after the row that closed its window. */
function advanceInLog(place: Place, frame: Frame): Place {
  const { epoch, ordinal, windowEndMs } = frame;
  const gapTold = place.ordinal === ordinal && place.gapTold;
  switch (frame.kind) {
    case 'row':
      return { epoch, ordinal, windowEndMs: place.windowEndMs, gapTold: false, packetTold: false };
    case 'gap':
      return { epoch, ordinal, windowEndMs: place.windowEndMs, gapTold: true, packetTold: false };
    case 'packet':
      return { epoch, ordinal, windowEndMs, gapTold, packetTold: true };
  }
}

/** Where the data plane goes on: it counts the packets of the row itself. */
function replayPosition(place: Place): marketData.LogPosition {
  return place.packetTold ? { epoch: place.epoch, ordinal: place.ordinal, packetWindowEndMs: place.windowEndMs } : logPosition(place);
}

/** Rows of a past window at a pace, with their plan first and their receipt last. Throws the data plane's ServiceError when it refuses. */
export async function openReplaySource(rows: GrpcClient<marketData.MarketDataServiceService>, request: ReplayRequest): Promise<StreamSource> {
  const { symbol, channels, startMs, endMs, asOfMs, speed, after } = request;
  const stop = new AbortController();
  const start = after ?? BEGINNING;
  const question = { symbol, startMs, endMs, channels: [...channels], asOfMs, speed, after: after === null ? undefined : replayPosition(after) };
  const frames = rows.call.streamReplay(question, { signal: stop.signal })[Symbol.asyncIterator]();
  const first = await frames.next();
  if (first.done === true || first.value.frame?.$case !== 'plan') throw unavailable('upstream_unavailable', 'The replay did not begin.');
  const plan = first.value.frame.value;
  const sourceKind: SourceKindName = fromProtoSourceKind(plan.sourceKind);
  let feedClockMs = 0;

  async function* pieces(signal: AbortSignal): AsyncGenerator<Piece, void, undefined> {
    signal.addEventListener('abort', () => stop.abort(), { once: true });
    const maker = createPieceMaker();
    let place = start;

    function take(frame: Frame): void {
      place = advanceInLog(place, frame);
      feedClockMs = Math.max(feedClockMs, frame.receivedMs);
      maker.add(frameBytes(frame, place));
    }

    maker.add([makeMessage('plan', publicPlan(plan))]);
    yield maker.make(place);
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
      const { frame } = next.value;
      if (frame?.$case === 'rows') {
        for (const row of frame.value.rows) {
          take(rowFrame(row));
          if (maker.isFull()) yield maker.make(place);
        }
      } else if (frame?.$case === 'gap') {
        if (frame.value.place === undefined) maker.add([makeMessage('gap', publicGap(frame.value))]);
        else take(gapFrame(frame.value, frame.value.place));
      } else if (frame?.$case === 'heartbeat') feedClockMs = Math.max(feedClockMs, frame.value.feedClockMs);
      else if (frame?.$case === 'receipt') {
        maker.add([makeMessage('receipt', publicReceipt(frame.value))]);
        yield maker.make(place);
        return;
      }
      if (!maker.isEmpty()) yield maker.make(place);
    }
    if (!signal.aborted) throw unavailable('upstream_unavailable', 'The replay ended without its receipt.');
  }

  return { start, pieces, feedClockMs: () => feedClockMs, sourceKind: () => sourceKind, close: () => stop.abort() };
}
