import type { CliCommand } from '../arguments/cli-command';
import { textOption, type Options } from '../arguments/values';
import type { Row } from '../output/cells';

/** What a packet may have to be, by option: parameter, how it is written, and what it says. The service knows the words. */
const CONDITIONS = {
  state: ['state', '--state <state>', 'in this published state'],
  eventClass: ['event_class', '--event-class <class>', 'of this event class'],
  eventProfile: ['event_profile', '--event-profile <profile>', 'of this event profile'],
  severity: ['severity_class', '--severity <class>', 'of this severity class'],
  tag: ['tag', '--tag <tags>', 'with all of these tags, separated by commas'],
} as const;

export function withPacketConditions(command: CliCommand, names: readonly (keyof typeof CONDITIONS)[]): CliCommand {
  for (const name of names) command.option(CONDITIONS[name][1], CONDITIONS[name][2]);
  return command;
}

/** The parameters of the conditions that were given. */
export function packetConditions(options: Options): Row {
  const given = Object.entries(CONDITIONS).flatMap(([name, [parameter]]) => {
    const text = textOption(options, name);
    return text === undefined ? [] : [[parameter, name === 'tag' ? text.split(',') : text] as const];
  });
  return Object.fromEntries(given);
}
