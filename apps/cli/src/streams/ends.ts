import type { ConnectionStatus } from '@market-state/client';
import { CliError, EXIT, type ExitCode } from '../cli-error';
import { asCliError } from '../client/open-service';
import type { Session } from '../client/run-client';

const EXIT_OF_END: Readonly<Record<string, ExitCode>> = {
  complete: EXIT.done,
  partial: EXIT.unusable,
  credits_exhausted: EXIT.credits,
  key_revoked: EXIT.notAllowed,
};

export function codeOfEnd(code: string): ExitCode {
  return EXIT_OF_END[code] ?? EXIT.incomplete;
}

/** Once per reason, and when the service is back. */
export function createConnectionReporter({ access, say }: Pick<Session, 'access' | 'say'>): (standing: ConnectionStatus) => void {
  let lastMessage: string | undefined;
  return (standing) => {
    if (standing.state === 'open') {
      if (lastMessage !== undefined) say(`${access.url} is reachable again`);
      lastMessage = undefined;
      return;
    }
    const why = reasonOf(standing.cause, access.url);
    if (why === lastMessage) return;
    lastMessage = why;
    say(`${why}; retrying`);
  };
}

function reasonOf(cause: unknown, url: string): string {
  const error = asCliError(cause, url);
  return error instanceof CliError ? (error.lines[0] ?? '').replace(/\.$/, '') : `${url} closed the connection`;
}
