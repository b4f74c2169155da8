import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** The sections of a page, in their order. */
export const SECTIONS = ['User impact', 'Diagnosis', 'Resolution', 'Do not', 'Tested by'] as const;
export type Section = (typeof SECTIONS)[number];

/** Runbook page of an alert. */
export interface Runbook {
  /** Name of its file without the ending. */
  readonly name: string;
  readonly title: string;
  /** Titles of its sections, as they stand. */
  readonly sections: readonly string[];
  textOf(section: Section): string;
  /** The commands of its section "Diagnosis": one line each, the comment above it left out. */
  readonly commands: readonly string[];
}

/** Pages, metrics and queries that a command reads from a running system. */
export interface CommandUse {
  readonly pages: readonly { readonly variable: string; readonly page: string }[];
  /** Metrics whose lines are picked out of `/metrics`. */
  readonly metrics: readonly string[];
  /** Queries that Prometheus is asked. */
  readonly queries: readonly string[];
}

export function runbookNameOf(alert: string): string {
  return alert.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
}

/** The variable that commands have for the ops address of a process. */
export function variableOf(process: string): string {
  return `${process.replaceAll('-', '_').toUpperCase()}_OPS`;
}

/** Every page, by name. */
export function readRunbooks(): Runbook[] {
  const folder = join(workspaceRoot(), 'deploy', 'runbooks');
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return names.sort().map((name) => parseRunbook(name.replace(/\.md$/, ''), readFileSync(join(folder, name), 'utf8')));
}

/** Reads a page: a title, then sections. */
function parseRunbook(name: string, text: string): Runbook {
  const [head = '', ...parts] = text.split(/^## /m);
  const sections = parts.map((part) => part.split('\n', 1)[0] ?? '');
  const textOf = (section: Section): string => (parts[sections.indexOf(section)] ?? '').split('\n').slice(1).join('\n').trim();
  const [, shell = ''] = /^```sh\n([\s\S]*?)^```/m.exec(textOf('Diagnosis')) ?? [];
  return {
    name,
    title: /^# (.+)$/m.exec(head)?.[1] ?? '',
    sections,
    textOf,
    commands: shell.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
  };
}

export function useOf(command: string): CommandUse {
  return {
    pages: [...command.matchAll(/"\$(\w+_OPS)(\/\w*)"/g)].map(([, variable = '', page = '']) => ({ variable, page })),
    metrics: [...command.matchAll(/grep '\^(\w+)'/g)].map(([, metric = '']) => metric),
    queries: [...command.matchAll(/--data-urlencode 'query=([^']+)'/g)].map(([, query = '']) => query),
  };
}
