import type { CliCommand, Fault } from '../arguments/cli-command';
import { checkSymbol, instantOf, textOption, type Options } from '../arguments/values';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import { CHANNELS } from './message-rows';

export const SYMBOLS_MAX = 20;
/** Message id of the service: a position in one symbol or in each of several. */
export const MESSAGE_ID = /^(\d+-\d+-\d+|[A-Z0-9]+(-[0-9a-z]+){3,4}(\.[A-Z0-9]+(-[0-9a-z]+){3,4})*)$/;

export interface TailSettings extends ClientSettings {
  /** Empty: all for packets, the service's default symbol for rows. */
  readonly symbols: readonly string[];
  /** Absent: packets. */
  readonly channels?: readonly string[];
  /** Start after a message or at an instant; absent: now. */
  readonly since?: { readonly id: string } | { readonly fromMs: number };
  /** Only packets whose published state differs from the previous one. */
  readonly isChangesOnly: boolean;
  /** Stops at the first packet in this published state. */
  readonly untilState?: string;
}

export function withTailOptions(command: CliCommand): CliCommand {
  return withClientOptions(
    command
      .option('--channels <list>', `rows instead of packets; comma-separated: ${CHANNELS.join(', ')}`)
      .option('--since <id|time>', 'resume after a message id, or start at a time: up to a day back for packets, an hour for rows')
      .option('--changes-only', 'only packets whose published state changed')
      .option('--until-state <state>', 'stop at the first packet in this published state'),
  );
}

export function readTailSettings(symbols: readonly string[], options: Options, fault: Fault): TailSettings {
  if (symbols.length > SYMBOLS_MAX) fault(`at most ${SYMBOLS_MAX} symbols`);
  const channels = readChannels(options, fault);
  for (const symbol of symbols) if (!(symbol === 'ALL' && channels === undefined)) checkSymbol(symbol, fault);
  const [isChangesOnly, untilState] = [options['changesOnly'] === true, textOption(options, 'untilState')];
  if (channels !== undefined && isChangesOnly) fault('--changes-only applies to packets, not to --channels');
  if (channels !== undefined && untilState !== undefined) fault('--until-state applies to packets, not to --channels');
  const client = readClientSettings(options, fault);
  return { ...client, symbols, channels, since: readSince(options, fault), isChangesOnly, untilState };
}

export function readChannels(options: Options, fault: Fault): readonly string[] | undefined {
  const channels = textOption(options, 'channels')?.split(',');
  for (const channel of channels ?? [])
    if (!CHANNELS.some((known) => known === channel)) fault(`--channels must be of ${CHANNELS.join(', ')}, not ${JSON.stringify(channel)}`);
  return channels;
}

function readSince(options: Options, fault: Fault): TailSettings['since'] {
  const text = textOption(options, 'since');
  if (text === undefined) return undefined;
  const fromMs = instantOf(text);
  if (!Number.isNaN(fromMs)) return { fromMs };
  if (!MESSAGE_ID.test(text))
    fault(`--since must be a message id as printed by tail when it stops, or a time, not ${JSON.stringify(text)}`);
  return { id: text };
}
