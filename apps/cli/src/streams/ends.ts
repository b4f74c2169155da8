import type { ConnectionStanding } from '@market-state/client';
import { EXIT, type ExitCode } from '../cli-error';

/** Waits shorter than this are not worth a line, milliseconds. */
const WAIT_MS_SAID = 1_000;

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

export function sayStanding(standing: ConnectionStanding, say: (line: string) => void): void {
  if (standing.state === 'waiting' && standing.waitMs >= WAIT_MS_SAID)
    say(`the connection is lost; it is opened again in ${(standing.waitMs / 1_000).toFixed(0)} s`);
}
