import { parseMessage } from './binance-coinm/message';
import type { RecordingSpan } from './pass-shift';

/** One line of a recording: when the message was received, and its text. */
export interface RecordingLine {
  /** Nanoseconds floored to milliseconds. */
  readonly receivedMs: number;
  readonly text: string;
}

const NANOSECOND_DIGITS = /^[0-9]{16,20} /;

/** Reads `<receive time in ns> <JSON>`; undefined when the line does not begin so. */
export function readRecordingLine(line: string): RecordingLine | undefined {
  if (!NANOSECOND_DIGITS.test(line)) return undefined;
  const space = line.indexOf(' ');
  return { receivedMs: Number(line.slice(0, space - 6)), text: line.slice(space + 1) };
}

/** The lines of an unpacked recording, without line ends. The text is ASCII or UTF-8. */
export function* recordingLines(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = 0;
  while (start < buffer.length) {
    const newline = buffer.indexOf(10, start);
    const end = newline < 0 ? buffer.length : newline;
    if (end > start) yield buffer.toString('utf8', start, end);
    start = end + 1;
  }
}

/**
 * First and last times of a recording. Exchange times are those of the messages that enter the log; broken lines do not count.
 * @throws RangeError when no line holds such a message.
 */
export function recordingSpan(lines: Iterable<string>, venueInstrument: string): RecordingSpan {
  const scan = new SpanScan(venueInstrument);
  for (const line of lines) scan.accept(line);
  return scan.span();
}

/** The same for a caller that gets its lines bit by bit. */
export class SpanScan {
  private firstReceivedMs: number | undefined;
  private lastReceivedMs = 0;
  private firstExchangeMs: number | undefined;
  private lastExchangeMs = 0;

  constructor(private readonly venueInstrument: string) {}

  accept(line: string): void {
    const read = readRecordingLine(line);
    if (read === undefined) return;
    this.firstReceivedMs ??= read.receivedMs;
    this.lastReceivedMs = Math.max(this.lastReceivedMs, read.receivedMs);
    const message = parseMessage(read.text, this.venueInstrument);
    if (message.type === 'ignored' || message.type === 'rejected') return;
    this.firstExchangeMs ??= message.timeMs;
    this.lastExchangeMs = Math.max(this.lastExchangeMs, message.timeMs);
  }

  /** @throws RangeError as `recordingSpan`. */
  span(): RecordingSpan {
    const { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs } = this;
    if (firstReceivedMs === undefined || firstExchangeMs === undefined) {
      throw new RangeError(`no message of ${this.venueInstrument} in the recording`);
    }
    return { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs };
  }
}
