import type { ConnectionStanding } from '@market-state/client';
import { CliError, EXIT, type ExitCode } from '../cli-error';
import { asCliError } from '../client/errors';
import type { Session } from '../client/run-client';

const EXIT_OF_END: Readonly<Record<string, ExitCode>> = {
  complete: EXIT.done,
  partial: EXIT.unusable,
  credits_exhausted: EXIT.credits,
  key_revoked: EXIT.notAllowed,
};

/** What the last message of a stream is to whoever started the command. */
export function codeOfEnd(code: string): ExitCode {
  return EXIT_OF_END[code] ?? EXIT.incomplete;
}

/** Says which service is away and why, the first time and whenever the reason changes, and that it is back. */
export function createStandingWatch({ access, say }: Pick<Session, 'access' | 'say'>): (standing: ConnectionStanding) => void {
  let said: string | undefined;
  return (standing) => {
    if (standing.state === 'open') {
      if (said !== undefined) say(`${access.url} answers again`);
      said = undefined;
      return;
    }
    const why = reasonOf(standing.cause, access.url);
    if (why === said) return;
    said = why;
    say(`${why}; trying again until it answers`);
  };
}

function reasonOf(cause: unknown, url: string): string {
  const error = asCliError(cause, url);
  return error instanceof CliError ? (error.lines[0] ?? '').replace(/\.$/, '') : `${url} ended the connection`;
}
