import { MarketState } from '@market-state/client';
import { type Access, openAccess } from '../access/access';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { asCliError } from './errors';
import { createMeter } from './meter';
import type { ClientSettings } from './settings';

/** A service that a command asks. */
export interface Session {
  /** Within the credits of the command. */
  readonly ms: MarketState;
  readonly access: Access;
  /** Writes a line to stderr. */
  say(line: string): void;
}

/**
 * Gives `work` the service that the settings name. What its calls have cost is the last line on stderr, also where it failed.
 * @throws CliError with the exit code that the service's refusal stands for
 */
export async function runClient(
  io: CliIo,
  settings: Pick<ClientSettings, 'url' | 'dataDir' | 'maxCredits'>,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const access = await openAccess(io, settings);
  const meter = createMeter(io);
  const { maxCredits } = settings;
  const options = { baseUrl: access.url, apiKey: access.apiKey, maxCreditsPerCall: maxCredits };
  const ms = new MarketState({ ...options, onAnswer: (_id, call) => meter.onAnswer(call) }).withBudget(maxCredits);
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  const cost = async (): Promise<void> => {
    const line = await meter.line(ms, maxCredits);
    if (line !== undefined) say(line);
  };
  try {
    const exitCode = await work({ ms, access, say });
    await cost();
    return exitCode;
  } catch (error) {
    await cost();
    throw asCliError(error, access.url);
  }
}
