import type { AccountHost } from './host-account';

/** Medians of refused logins, milliseconds. */
export interface TimedLogins {
  readonly knownMs: number;
  readonly unknownMs: number;
  /** Pairs of answers that differ in anything but time. */
  readonly different: number;
}

/** Logs in with a wrong password to an email that has an account and to one that has none, in turns, so many times each. */
export async function timeLogins({ accounts }: AccountHost, total: number, email: string): Promise<TimedLogins> {
  const knownMs: number[] = [];
  const unknownMs: number[] = [];
  let different = 0;

  async function timed(times: number[], tried: string, index: number): Promise<string> {
    const address = `10.1.${index >> 8}.${index & 255}`;
    const startedMs = performance.now();
    const answer = await accounts.login({ email: tried, password: 'not the password', address }).catch((error: unknown) => error);
    times.push(performance.now() - startedMs);
    return JSON.stringify(answer) + String(answer);
  }

  for (let index = 0; index < total; index += 1) {
    const nobody = `x${String(index).padStart(email.indexOf('@') - 1, '0')}${email.slice(email.indexOf('@'))}`;
    const turns = [
      () => timed(knownMs, email, index),
      () => timed(unknownMs, nobody, index),
    ];
    if (index % 2 === 1) turns.reverse();
    const answers = [await turns[0]?.(), await turns[1]?.()];
    if (answers[0] !== answers[1]) different += 1;
  }
  return { knownMs: medianOf(knownMs), unknownMs: medianOf(unknownMs), different };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
