import { join, resolve } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { type ComposeFile, composeFolder, type ComposeService, filled } from './compose-services';

/** This machine in place of containers. */
export interface Machine {
  /** Where secrets, certificates and volumes are. */
  readonly folder: string;
  readonly operator: Readonly<Record<string, string>>;
  /** The port here for one that a service has in its own network. */
  portOf(service: string, port: string): number;
}

/** A service as a plain process. */
export interface PlainProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const OURS = /^market-state\//;
/** Variables that are a port alone. */
const PORT_VARIABLES = ['PORT', 'OPS_PORT'];

/** What a container's paths are here, the longest first. */
function pathsOf(
  file: ComposeFile,
  { secrets = [], volumes = [] }: ComposeService,
  folder: string,
): readonly (readonly [string, string])[] {
  const ofSecrets = secrets.map(({ source, target }) => [target, join(folder, file.secrets[source]?.file ?? '')] as const);
  const ofVolumes = volumes.map((volume) => {
    const [from = '', to = ''] = volume.split(':');
    return [to, from.startsWith('.') ? resolve(composeFolder(), from) : join(folder, 'volumes', from)] as const;
  });
  return [...ofSecrets, ...ofVolumes].sort(([one], [other]) => other.length - one.length);
}

/**
 * What a service of the Compose file is on this machine: its command and variables with the paths, ports and names of other services
 * put in place of those of containers.
 */
export function plainProcess(file: ComposeFile, name: string, machine: Machine): PlainProcess {
  const service = file.services[name];
  if (service === undefined) throw new Error(`The Compose file has no service ${name}.`);
  const paths = pathsOf(file, service, machine.folder);
  const here = (text: string): string => {
    const [there, path] = paths.find(([one]) => text === one || text.startsWith(`${one}/`)) ?? [];
    if (there !== undefined && path !== undefined) return text.replace(there, path);
    const [, host = '', port = ''] = /^([\w.-]*):(\d+)$/.exec(text) ?? [];
    if (port === '') return text === '0.0.0.0' ? '127.0.0.1' : text;
    return `127.0.0.1:${machine.portOf(host === '' || host === '0.0.0.0' ? name : host, port)}`;
  };
  const given = Object.entries(service.environment ?? {}).map(([variable, text]) => {
    const value = here(filled(String(text), machine.operator));
    return [variable, PORT_VARIABLES.includes(variable) ? String(machine.portOf(name, value)) : value];
  });
  const env = { PATH: process.env['PATH'], ...Object.fromEntries(given) };
  const command = (service.command ?? []).map(here);
  if (!OURS.test(service.image)) return { command: command[0] ?? '', args: command.slice(1), env };
  const [program = '', ...args] = command;
  return { command: process.execPath, args: [join(workspaceRoot(), program.replace(/\.cjs$/, '.js')), ...args], env };
}
