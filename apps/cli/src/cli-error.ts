export const EXIT = {
  /** Success; for comparisons, everything is equal. */
  done: 0,
  different: 1,
  bad: 2,
  /** Could not complete: unreachable, or past retention. */
  incomplete: 3,
  /** Key unknown or not allowed: 401, 403. */
  notAllowed: 4,
  /** Credits, cap, quote or rate limit: 402, 429, or a call that could exceed `--max-credits` and was not sent. */
  credits: 5,
  /** Data is there but partial, stale or unusable. */
  unusable: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Failure of a command. Each line is a sentence for the user. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    readonly exitCode: ExitCode,
    readonly lines: readonly string[],
    options?: ErrorOptions,
  ) {
    super(lines.join('\n'), options);
  }
}

/** Unusable input: exit code 2. */
export function badInput(...lines: readonly string[]): CliError {
  return new CliError(EXIT.bad, lines);
}

/** Something needed is unavailable right now: exit code 3. */
export function incomplete(...lines: readonly string[]): CliError {
  return new CliError(EXIT.incomplete, lines);
}

export function errorText(lines: readonly string[]): string {
  return lines.map((line) => `market-state: ${line}\n`).join('');
}
