import { writeConnected } from '../normalizer';
import type { FeedStatus, MarketEvent } from '../event';
import { TICK_MS } from '../feed-clock';
import { gapIdOf } from '../gap-id';
import { LogWriter, type PlacedEvent } from '../log-writer';
import { type PassPlace, writeSeam } from '../pass-player';
import { SHIFT_STEP_MS, type RecordingSpan } from '../pass-shift';
import type { RejectionCounts } from '../rejections';
import type { PlayedPass } from './play-messages';
import { OpenGaps } from '../live/log-tail';
import { SpanOfMessages } from './open-messages';

/**
 * Plays rows as one pass at its place: the entries as they are, their times moved, with the place's pass, epoch and ordinals. What they
 * told of the connection stays, but that a live source is a recorded one now; gaps get ids of this pass,
 * and those that are open end with it. Ticks follow up to the next pass.
 * @throws RangeError when the shift is not a multiple of 10 s
 */
export function playRows(
  batches: AsyncIterable<readonly MarketEvent[]>,
  place: PassPlace,
  rejections: Readonly<RejectionCounts>,
): PlayedPass {
  if (place.shiftMs % SHIFT_STEP_MS !== 0) throw new RangeError(`the shift is not a multiple of ${SHIFT_STEP_MS} ms: ${place.shiftMs}`);
  return { events: play(batches, place), rejections: () => rejections };
}

async function* play(batches: AsyncIterable<readonly MarketEvent[]>, place: PassPlace): AsyncGenerator<readonly PlacedEvent[]> {
  const log = new LogWriter(place, true, place.shiftMs);
  log.clockMs = place.span.firstReceivedMs;
  writeSeam(place, log);
  const gaps = new OpenGaps();
  let lastExchangeMs = 0;
  let isFirst = true;
  let lastTickMs = Math.ceil(log.clockMs / TICK_MS) * TICK_MS - TICK_MS;
  for await (const batch of batches) {
    for (const event of batch) {
      if (isFirst && !(event.kind === 'feed_status' && event.status.type === 'connected')) writeConnected(place, log);
      isFirst = false;
      log.clockMs = Math.max(log.clockMs, event.receivedTsMs);
      if (event.kind === 'tick') lastTickMs = event.feedClockMs;
      if (event.kind !== 'feed_status') {
        if (event.kind !== 'tick' && !event.exchangeTsIsReceiveTime) lastExchangeMs = Math.max(lastExchangeMs, event.exchangeTsMs);
        log.copy(event);
        continue;
      }
      const status = statusOfPass(event.status, place);
      gaps.apply(status);
      log.copy({ ...event, status });
    }
    yield log.take();
  }
  const endMs = place.endFeedClockMs - place.shiftMs;
  for (let tickMs = lastTickMs + TICK_MS; tickMs < endMs; tickMs += TICK_MS) {
    log.clockMs = Math.max(log.clockMs, tickMs);
    log.tick();
  }
  for (const gap of gaps.list()) log.status({ ...gap, endMs: Math.max(gap.startMs, lastExchangeMs) });
  yield log.take();
}

/** A gap that is told again in another pass is another gap. */
function statusOfPass(status: FeedStatus, { instrument: { venue, symbol }, pass }: PassPlace): FeedStatus {
  switch (status.type) {
    case 'connected':
      return status.sourceKind === 'live' ? { ...status, sourceKind: 'recorded' } : status;
    case 'disconnected':
      return status;
    case 'gap':
    case 'resynced':
    case 'seam':
      return { ...status, gapId: gapIdOf({ venue, symbol, pass, reason: 'recording_seam', startMs: 0, lastVenueId: status.gapId }) };
  }
}

/** First and last times of rows. @throws RecordingError when there is no book, trade, context or liquidation among them */
export async function spanOfRows(batches: AsyncIterable<readonly MarketEvent[]>, symbol: string): Promise<RecordingSpan> {
  const span = new SpanOfMessages();
  for await (const batch of batches) {
    for (const event of batch) {
      const isOfMarket = event.kind !== 'tick' && event.kind !== 'feed_status' && !event.exchangeTsIsReceiveTime;
      span.add(event.receivedTsMs, isOfMarket ? [event.exchangeTsMs] : []);
    }
  }
  return span.span(symbol);
}
