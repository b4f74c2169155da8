import type { Logger } from '@market-state/logging';

/** Minutes that wait for a service that cannot be reached, at most: an hour. */
const WAITING_MAX = 60;

/** A minute that is to be handed on. */
export interface CountedMinute {
  /** Start of the minute, milliseconds since the epoch. */
  readonly minuteMs: number;
}

/** A minute, and since when it is counted where that is not all of it, or where the minutes before it were lost. */
export interface WaitingMinute<Minute extends CountedMinute> {
  readonly minute: Minute;
  readonly sinceMs: number | undefined;
}

export interface HandOnOptions<Minute extends CountedMinute> {
  /** What is counted, for the log. */
  readonly what: string;
  /** Hands minutes on, oldest first; what has been handed on may come again. */
  readonly send: (waiting: readonly WaitingMinute<Minute>[]) => Promise<unknown>;
  /** Since when the first minute is counted. */
  readonly sinceMs: number;
  readonly logger: Logger;
  /** Told how many minutes wait, whenever that may have changed. */
  readonly onWaiting: (minutes: number) => void;
}

/** Hands minutes on to a service, those first that it could not take before. */
export interface HandOn<Minute extends CountedMinute> {
  /** Resolves when the service has taken all that waits, or could not. Never rejects. */
  add(minute: Minute): Promise<void>;
}

export function createHandOn<Minute extends CountedMinute>({
  what,
  send,
  sinceMs,
  logger,
  onWaiting,
}: HandOnOptions<Minute>): HandOn<Minute> {
  let waiting: WaitingMinute<Minute>[] = [];
  let nextSinceMs: number | undefined = sinceMs;

  return {
    async add(minute) {
      waiting.push({ minute, sinceMs: nextSinceMs });
      nextSinceMs = undefined;
      const lost = waiting.length - WAITING_MAX;
      if (lost > 0) {
        waiting = waiting.slice(lost).map((each, index) => (index === 0 ? { ...each, sinceMs: each.minute.minuteMs } : each));
        logger.error({ what, minutes: lost }, 'figures of minutes are lost');
      }
      const taken = [...waiting];
      try {
        await send(taken);
        waiting = waiting.filter((each) => !taken.includes(each));
      } catch (error) {
        logger.warn({ what, minutes: taken.length, err: error }, 'figures could not be handed on yet');
      }
      onWaiting(waiting.length);
    },
  };
}
