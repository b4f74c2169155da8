import { secondsToMs } from '../receive-time';
import type { PeekedFile } from './peeked-file';
import { RecordingError } from './recording-errors';

const TIME = /^([0-9]{16,20})[ \t]/;
const NANOSECOND_DIGITS = 19;
const MICROSECOND_DIGITS = 16;

/**
 * Lines that begin with the receive time in nanoseconds, as 19 digits: those of 2001 to 2286.
 * @throws RecordingError naming the first line where it is of another unit
 */
export function checkNanoseconds(files: readonly PeekedFile[]): void {
  for (const { name, head, headNumbers } of files) {
    const index = head.findIndex((line) => TIME.test(line));
    const digits = TIME.exec(head[index] ?? '')?.[1]?.length ?? NANOSECOND_DIGITS;
    if (digits === NANOSECOND_DIGITS) continue;
    const place = `${name}:${headNumbers[index]}`;
    throw new RecordingError(
      digits === MICROSECOND_DIGITS
        ? `${place}: its receive times are microseconds: receive times are nanoseconds, so put three zeros behind them: ` +
            "sed -E 's/^([0-9]{16}) /\\1000 /'"
        : `${place}: its receive time has ${digits} digits: receive times are nanoseconds since 1970, which have ${NANOSECOND_DIGITS}`,
    );
  }
}

/**
 * Times that are decimal seconds since 1970.
 * @param timeOf the time of a line, as text; undefined where it has none
 * @throws RecordingError naming the first time that is none
 */
export function checkSeconds({ name, head, headNumbers }: PeekedFile, timeOf: (line: string) => string | undefined): void {
  const index = head.findIndex((line) => timeOf(line) !== undefined);
  const time = timeOf(head[index] ?? '');
  if (time === undefined || secondsToMs(time) !== undefined) return;
  throw new RecordingError(
    `${name}:${headNumbers[index]}: its receive time is ${JSON.stringify(time.slice(0, 40))}: receive times are seconds since 1970, as 1786310819.726`,
  );
}
