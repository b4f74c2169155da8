import type { ConnectionStanding } from '@market-state/client';
import { CliError, EXIT, type ExitCode } from '../cli-error';
import { asCliError } from '../client/open-service';
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

/** Reports on stderr which service is unreachable and why, once per reason, and when it is reachable again. */
export function createConnectionReporter({ access, say }: Pick<Session, 'access' | 'say'>): (standing: ConnectionStanding) => void {
  let reported: string | undefined;
  return (standing) => {
    if (standing.state === 'open') {
      if (reported !== undefined) say(`${access.url} answers again`);
      reported = undefined;
      return;
    }
    const why = reasonOf(standing.cause, access.url);
    if (why === reported) return;
    reported = why;
    say(`${why}; trying again until it answers`);
  };
}

function reasonOf(cause: unknown, url: string): string {
  const error = asCliError(cause, url);
  return error instanceof CliError ? (error.lines[0] ?? '').replace(/\.$/, '') : `${url} ended the connection`;
}
