import type { CliCommand, Fault } from '../arguments/cli-command';
import { instantOption, SYMBOL, textOption, type Options } from '../arguments/values';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import { CHANNELS } from './message-rows';
import { MESSAGE_ID, readChannels, SYMBOLS_MAX } from './tail-settings';

const SPEED = /^([1-9]\d?|100|max)$/;

/** What `replay` was asked to replay. */
export interface ReplaySettings extends ClientSettings {
  /** None: the default symbol of the service. */
  readonly symbols: readonly string[];
  readonly start?: string;
  readonly end?: string;
  readonly asOf?: string;
  readonly channels?: readonly string[];
  readonly speed: string;
  /** The id of the last message had of this replay; absent: from the start. */
  readonly after?: string;
}

export function withReplayOptions(command: CliCommand): CliCommand {
  return withClientOptions(
    command
      .option('--from <time>', 'start, inclusive: UTC time or epoch milliseconds; without it, 5 minutes before the end')
      .option('--to <time>', 'end, exclusive, at most 24 hours later; without it, now')
      .option('--as-of <time>', 'what was received by this instant')
      .option('--channels <list>', `of ${CHANNELS.join(', ')}; without it, all that the venue reports`)
      .option('--speed <n>', '1 to 100 times the recorded pace, or max', 'max')
      .option('--after <id>', 'go on with a replay that was interrupted: it says how'),
  );
}

export function readReplaySettings(operands: readonly string[], options: Options, fault: Fault): ReplaySettings {
  const symbols = [...new Set(operands)];
  if (symbols.length > SYMBOLS_MAX) fault(`at most ${SYMBOLS_MAX} symbols`);
  for (const symbol of symbols) if (!SYMBOL.test(symbol)) fault(`a symbol must look like BTCUSD-PERP, not ${JSON.stringify(symbol)}`);
  const speed = textOption(options, 'speed') ?? 'max';
  if (!SPEED.test(speed)) fault(`--speed must be a whole number from 1 to 100, or max, not ${JSON.stringify(speed)}`);
  const utc = (name: string): string | undefined => {
    const ms = instantOption(options, name, fault);
    return ms === undefined || Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  };
  const [start, end] = [utc('from'), utc('to')];
  if (start !== undefined && end !== undefined && start >= end) fault('--to must be after --from');
  const after = textOption(options, 'after');
  if (after !== undefined && !MESSAGE_ID.test(after))
    fault(`--after must be the id of a message, as an interrupted replay prints it, not ${JSON.stringify(after)}`);
  if (after !== undefined && (start === undefined || end === undefined)) fault('--after needs --from and --to as they were');
  const [client, channels] = [readClientSettings(options, fault), readChannels(options, fault)];
  return { ...client, symbols, start, end, asOf: utc('asOf'), channels, speed, after };
}
