import type { CliCommand, Fault } from '../arguments/cli-command';
import { instantOf, SYMBOL, textOption, type Options } from '../arguments/values';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import { CHANNELS } from './message-rows';

/** Symbols that one stream may have. */
export const SYMBOLS_MAX = 20;
/** As the service writes the id of a message: a position in one symbol, or one in each of several. */
export const MESSAGE_ID = /^(\d+-\d+-\d+|[A-Z0-9]+(-[0-9a-z]+){3,4}(\.[A-Z0-9]+(-[0-9a-z]+){3,4})*)$/;

/** What `tail` was asked to follow. */
export interface TailSettings extends ClientSettings {
  /** None: all for packets, the default symbol of the service for rows. */
  readonly symbols: readonly string[];
  /** Rows of these; absent: packets. */
  readonly channels?: readonly string[];
  /** Where it begins: after a message, or at an instant; absent: now. */
  readonly since?: { readonly id: string } | { readonly fromMs: number };
  /** Packets alone whose published state is another than that of the packet before. */
  readonly isChangesOnly: boolean;
  /** Ends with the first packet in this published state. */
  readonly untilState?: string;
}

export function withTailOptions(command: CliCommand): CliCommand {
  return withClientOptions(
    command
      .option('--channels <list>', `rows in place of packets, of ${CHANNELS.join(', ')}`)
      .option('--since <id|time>', 'go on after a message by its id, or begin at a time: a day back for packets, an hour for rows')
      .option('--changes-only', 'packets alone whose published state has changed')
      .option('--until-state <state>', 'end with the first packet in this published state'),
  );
}

export function readTailSettings(symbols: readonly string[], options: Options, fault: Fault): TailSettings {
  if (symbols.length > SYMBOLS_MAX) fault(`at most ${SYMBOLS_MAX} symbols`);
  const channels = readChannels(options, fault);
  for (const symbol of symbols)
    if (!SYMBOL.test(symbol) && !(symbol === 'ALL' && channels === undefined))
      fault(`a symbol must look like BTCUSD-PERP, not ${JSON.stringify(symbol)}`);
  const [isChangesOnly, untilState] = [options['changesOnly'] === true, textOption(options, 'untilState')];
  if (channels !== undefined && isChangesOnly) fault('--changes-only is of packets, not of --channels');
  if (channels !== undefined && untilState !== undefined) fault('--until-state is of packets, not of --channels');
  const client = readClientSettings(options, fault);
  return { ...client, symbols, channels, since: readSince(options, fault), isChangesOnly, untilState };
}

/** `--channels`, each of them one that the service has. */
export function readChannels(options: Options, fault: Fault): readonly string[] | undefined {
  const channels = textOption(options, 'channels')?.split(',');
  for (const channel of channels ?? [])
    if (!CHANNELS.some((known) => known === channel)) fault(`--channels are of ${CHANNELS.join(', ')}, not ${JSON.stringify(channel)}`);
  return channels;
}

function readSince(options: Options, fault: Fault): TailSettings['since'] {
  const text = textOption(options, 'since');
  if (text === undefined) return undefined;
  const fromMs = instantOf(text);
  if (!Number.isNaN(fromMs)) return { fromMs };
  if (!MESSAGE_ID.test(text))
    fault(`--since must be the id of a message, as tail prints it at its end, or a UTC time, not ${JSON.stringify(text)}`);
  return { id: text };
}
