import { percentile } from '@market-state/testing';

/** Medians of answers, milliseconds. */
export interface TimedAnswers {
  readonly knownMs: number;
  readonly unknownMs: number;
  /** Pairs of answers that differ in anything but time. */
  readonly different: number;
}

/** Whose answers are timed. */
export interface TimedEmails {
  readonly known: string;
  /** An email without an account, as long as the known one; the same or another each time. */
  unknown(index: number): string;
}

/**
 * Sends something for an email that has an account and for one that has none, in turns, so many times each, each pair from an address of
 * its own.
 */
export async function timeAnswers(
  total: number,
  emails: TimedEmails,
  send: (email: string, address: string) => Promise<unknown>,
): Promise<TimedAnswers> {
  const knownMs: number[] = [];
  const unknownMs: number[] = [];
  let different = 0;

  async function timed(times: number[], email: string, index: number): Promise<string> {
    const startedMs = performance.now();
    const answer = await send(email, `10.1.${index >> 8}.${index & 255}`).catch((error: unknown) => error);
    times.push(performance.now() - startedMs);
    return JSON.stringify(answer) + String(answer);
  }

  for (let index = 0; index < total; index += 1) {
    const turns = [() => timed(knownMs, emails.known, index), () => timed(unknownMs, emails.unknown(index), index)];
    if (index % 2 === 1) turns.reverse();
    const answers = [await turns[0]?.(), await turns[1]?.()];
    if (answers[0] !== answers[1]) different += 1;
  }
  return { knownMs: percentile(knownMs, 0.5), unknownMs: percentile(unknownMs, 0.5), different };
}
