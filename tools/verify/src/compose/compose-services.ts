import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { parse } from 'yaml';

/** When what a service needs is far enough. */
export type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully';

/** A service of the Compose file, as far as a plain process can be it. */
export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { readonly source: string; readonly target: string }[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: Condition }>>;
}

/** The Compose file. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** The folder of the Compose file. */
export const composeFolder = (): string => join(workspaceRoot(), 'deploy', 'compose');

export function readComposeFile(): ComposeFile {
  return parse(readFileSync(join(composeFolder(), 'compose.yaml'), 'utf8')) as ComposeFile;
}

/** The text of a variable as Compose fills it. @throws Error when the operator must set something and has not */
export function filled(text: string, operator: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_whole, name: string, sign: string, rest: string) => {
    const given = operator[name];
    if (given !== undefined) return given;
    if (sign === '?') throw new Error(`${name} ${rest}`);
    return rest;
  });
}
