import { textOf } from '#bytes';
import { parseMessage } from './binance/parse-message';
import { type Json, parseObject } from './json';
import type { RecordingSpan } from './pass-player';

interface RecordingLine {
  readonly receivedMs: number;
  readonly text: string;
  readonly messageStart: number;
}

const NANOSECOND_DIGITS_MIN = 16;
const NANOSECOND_DIGITS_MAX = 20;

/** Splits `<receive time in ns> <message>`, separated by spaces or tabs; undefined otherwise. */
export function readRecordingLine(line: string): RecordingLine | undefined {
  const blank = line.indexOf(' ');
  const space = blank >= 0 && blank <= NANOSECOND_DIGITS_MAX ? blank : line.indexOf('\t');
  if (space < NANOSECOND_DIGITS_MIN || space > NANOSECOND_DIGITS_MAX) return undefined;
  let receivedMs = 0;
  for (let index = 0; index < space; index++) {
    const digit = line.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    if (index < space - 6) receivedMs = receivedMs * 10 + digit;
  }
  let messageStart = space + 1;
  while (line[messageStart] === ' ' || line[messageStart] === '\t') messageStart++;
  return { receivedMs, text: line, messageStart };
}

export function recordedObject(line: string): Json | undefined {
  const read = readRecordingLine(line);
  return read && parseObject(line.slice(read.messageStart));
}

export function* recordingLines(bytes: Uint8Array): Generator<string> {
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    if (end > start) yield textOf(bytes, start, end);
    start = end + 1;
  }
}

/**
 * Exchange times cover messages that enter the log; broken lines are ignored.
 * @throws RangeError if there is no such message
 */
export function recordingSpan(lines: Iterable<string>, venueInstrument: string): RecordingSpan {
  const scan = new SpanScan(venueInstrument);
  for (const line of lines) scan.accept(line);
  return scan.span();
}

class SpanScan {
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
    const message = parseMessage(read.text, read.messageStart, this.venueInstrument, 'coinm');
    if (!('timeMs' in message)) return;
    this.firstExchangeMs ??= message.timeMs;
    this.lastExchangeMs = Math.max(this.lastExchangeMs, message.timeMs);
  }

  span(): RecordingSpan {
    const { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs } = this;
    if (firstReceivedMs === undefined || firstExchangeMs === undefined) {
      throw new RangeError(`recording has no message of ${this.venueInstrument}`);
    }
    return { firstReceivedMs, lastReceivedMs, firstExchangeMs, lastExchangeMs };
  }
}
