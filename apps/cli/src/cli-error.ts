/** Exit codes of every command. */
export const EXIT = {
  /** Done, and equal where something was compared. */
  done: 0,
  /** Differences were found. */
  different: 1,
  /** Bad usage or bad input. */
  bad: 2,
  /** Could not be completed: unreachable, or no longer kept. */
  incomplete: 3,
  /** The service does not know the key, or the key may not do this: 401, 403. */
  notAllowed: 4,
  /** Credits, a cap, a quote or a rate: 402, 429, or a call that could pass `--max-credits` and was not sent. */
  credits: 5,
  /** It is there, but partial, stale, or not usable. */
  unusable: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command cannot do what it was asked to. Each line is a sentence for the user. */
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

/** What the user gave cannot be used: exit code 2. */
export function badInput(...lines: readonly string[]): CliError {
  return new CliError(EXIT.bad, lines);
}

/** What is needed is not there now: exit code 3. */
export function incomplete(...lines: readonly string[]): CliError {
  return new CliError(EXIT.incomplete, lines);
}

/** What is written of an error, a line each. */
export function errorText(lines: readonly string[]): string {
  return lines.map((line) => `market-state: ${line}\n`).join('');
}
