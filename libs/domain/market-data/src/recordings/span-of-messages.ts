import type { RecordingSpan } from '../pass-shift';
import { type Batch, isBelievable } from './play-messages';
import { RecordingError } from './recording-errors';

/** An exchange time further behind the receive time is of a backlog, and not of the time that was recorded. */
const BACKLOG_MS = 10_000;

/** Finds out the span of a recording, message by message. */
export class SpanOfMessages {
  private firstReceivedMs: number | undefined;
  private lastReceivedMs = 0;
  private firstExchangeMs: number | undefined;
  private lastExchangeMs = 0;

  /** @param exchangeTimesMs of what the message brings into the log */
  add(receivedMs: number, exchangeTimesMs: readonly number[]): void {
    if (this.firstReceivedMs !== undefined && !isBelievable(receivedMs, this.lastReceivedMs)) return;
    this.firstReceivedMs ??= receivedMs;
    this.lastReceivedMs = Math.max(this.lastReceivedMs, receivedMs);
    for (const timeMs of exchangeTimesMs) {
      if (timeMs < receivedMs - BACKLOG_MS) continue;
      this.firstExchangeMs ??= timeMs;
      this.lastExchangeMs = Math.max(this.lastExchangeMs, timeMs);
    }
  }

  /** @throws RecordingError when nothing would enter the log */
  span(name: string): RecordingSpan {
    const { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs } = this;
    if (firstReceivedMs === undefined || firstExchangeMs === undefined) throw new RecordingError(`no message of ${name} in the recording`);
    return { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs };
  }
}

/** The span of the messages of an instrument. @throws RecordingError when none would enter the log */
export async function spanOfMessages<Message>(
  batches: AsyncIterable<Batch<Message>>,
  name: string,
  exchangeTimesOf: (message: Message) => readonly number[],
): Promise<RecordingSpan> {
  const span = new SpanOfMessages();
  for await (const batch of batches) {
    for (const received of batch) if (received !== undefined) span.add(received.receivedMs, exchangeTimesOf(received.message));
  }
  return span.span(name);
}
