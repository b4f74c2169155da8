import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** Sections of a page, in order. */
export const SECTIONS = ['User impact', 'Diagnosis', 'Resolution', 'Do not', 'Tested by'] as const;
export type Section = (typeof SECTIONS)[number];

export interface Runbook {
  /** File name without extension. */
  readonly name: string;
  readonly title: string;
  readonly sections: readonly string[];
  textOf(section: Section): string;
  /** Commands of the section "Diagnosis", one per line, without comments. */
  readonly commands: readonly string[];
}

export interface CommandUse {
  /** Ops pages: the process's variable, and the page. */
  readonly pages: readonly { readonly variable: string; readonly page: string }[];
  /** Metrics filtered from `/metrics`. */
  readonly metrics: readonly string[];
  readonly queries: readonly string[];
}

/** The alert's name in kebab case. */
export function runbookNameOf(alert: string): string {
  return alert.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
}

/** Variable for a process's ops address in commands. */
export function variableOf(process: string): string {
  return `${process.replaceAll('-', '_').toUpperCase()}_OPS`;
}

export function readRunbooks(): Runbook[] {
  const folder = join(workspaceRoot(), 'deploy', 'runbooks');
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return names.sort().map((name) => parseRunbook(name.replace(/\.md$/, ''), readFileSync(join(folder, name), 'utf8')));
}

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
