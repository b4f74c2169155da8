import type { CliCommand } from '../arguments/cli-command';
import { type Options, textOption } from '../arguments/values';
import type { Row } from '../output/row-writer';

/** Packet filters: parameter, flag and description. The service validates the values. */
const CONDITIONS = {
  state: ['state', '--state <state>', 'only packets in this published state'],
  eventClass: ['event_class', '--event-class <class>', 'only this event class'],
  eventProfile: ['event_profile', '--event-profile <profile>', 'only this event profile'],
  severity: ['severity_class', '--severity <class>', 'only this severity class'],
  tag: ['tag', '--tag <tags>', 'only packets with all of these tags, comma-separated'],
} as const;

export function withPacketConditions(command: CliCommand, names: readonly (keyof typeof CONDITIONS)[]): CliCommand {
  for (const name of names) command.option(CONDITIONS[name][1], CONDITIONS[name][2]);
  return command;
}

export function packetConditions(options: Options): Row {
  const given = Object.entries(CONDITIONS).flatMap(([name, [parameter]]) => {
    const text = textOption(options, name);
    return text === undefined ? [] : [[parameter, name === 'tag' ? text.split(',') : text] as const];
  });
  return Object.fromEntries(given);
}
