import { join, resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import { APP_FOLDER } from '@market-state/deploy';
import { workspaceRoot } from '@market-state/launcher';
import { parse } from 'yaml';

type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully';

/** Parts of a Compose service that apply to a plain process. */
interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { readonly source: string; readonly target: string }[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: Condition }>>;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export const composeFolder = (): string => join(workspaceRoot(), 'deploy', 'compose');

export function readComposeFile(): ComposeFile {
  return parse(readFileSync(join(composeFolder(), 'compose.yaml'), 'utf8')) as ComposeFile;
}

/** Expands a variable as Compose does. @throws Error if the operator must set it and has not */
function filled(text: string, operator: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_whole, name: string, sign: string, rest: string) => {
    const given = operator[name];
    if (given !== undefined) return given;
    if (sign === '?') throw new Error(`${name} ${rest}`);
    return rest;
  });
}

/** This machine as a substitute for containers. */
export interface Machine {
  readonly folder: string;
  readonly operator: Readonly<Record<string, string>>;
  portOf(service: string, port: string): number;
}

/** A service's process; stores that refuse root run as nobody. */
export interface ServiceProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd?: string;
}

type Mount = readonly [there: string, here: string];

/** Matches our own images; the group is the app. */
export const OURS = /^market-state\/([\w-]+):/;
const PORT_VARIABLES = ['PORT', 'OPS_PORT'];

export function mountsOf(
  file: ComposeFile,
  { secrets = [], volumes = [] }: ComposeService,
  folder: string,
): { readonly secrets: readonly Mount[]; readonly volumes: readonly Mount[] } {
  return {
    secrets: secrets.map(({ source, target }): Mount => [target, join(folder, file.secrets[source]?.file ?? '')]),
    volumes: volumes.map((volume): Mount => {
      const [from = '', to = ''] = volume.split(':');
      return [to, from.startsWith('.') ? resolve(composeFolder(), from) : join(folder, 'volumes', from)];
    }),
  };
}

function addressHere(text: string, name: string, { portOf }: Machine): string {
  const [, host = '', port = ''] = /^([\w.-]*):(\d+)$/.exec(text) ?? [];
  if (port === '') return text === '0.0.0.0' ? '127.0.0.1' : text;
  return `127.0.0.1:${portOf(host === '' || host === '0.0.0.0' ? name : host, port)}`;
}

export function variablesHere(name: string, { environment = {} }: ComposeService, machine: Machine): Readonly<Record<string, string>> {
  const given = Object.entries(environment).map(([variable, text]): [string, string] => {
    const value = addressHere(filled(String(text), machine.operator), name, machine);
    return [variable, PORT_VARIABLES.includes(variable) ? String(machine.portOf(name, value)) : value];
  });
  return Object.fromEntries(given);
}

/**
 * Translates a Compose service to a process of this machine: command and variables, with container paths, ports and
 * host names replaced.
 */
export function plainProcess(file: ComposeFile, name: string, machine: Machine): ServiceProcess {
  const service = serviceOf(file, name);
  const { secrets, volumes } = mountsOf(file, service, machine.folder);
  const paths = [...secrets, ...volumes, [APP_FOLDER, workspaceRoot()] as const].sort(([one], [other]) => other.length - one.length);
  const here = (text: string): string => {
    const [there, path] = paths.find(([one]) => text === one || text.startsWith(`${one}/`)) ?? [];
    return there === undefined || path === undefined ? text : text.replace(there, path);
  };
  const variables = Object.entries(variablesHere(name, service, machine)).map(([variable, text]) => [variable, here(text)]);
  const env = { PATH: process.env['PATH'], ...Object.fromEntries(variables) };
  const command = (service.command ?? []).map(here);
  if (!OURS.test(service.image)) return { command: command[0] ?? '', args: command.slice(1), env };
  const [program = '', ...args] = command;
  return { command: process.execPath, args: [join(workspaceRoot(), program), ...args], env };
}

export function serviceOf(file: ComposeFile, name: string): ComposeService {
  const service = file.services[name];
  if (service === undefined) throw new Error(`The Compose file has no service ${name}.`);
  return service;
}
