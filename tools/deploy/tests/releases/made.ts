import type { Node } from 'libpg-query';

/** What migrations since the last release have made: that release's code knows none of it. */
export interface Made {
  readonly names: Set<string>;
}

/** Kinds of things by which a name is kept apart from the same name of another kind. */
export type Kind = 'table' | 'column' | 'function' | 'type' | 'index' | 'trigger' | 'constraint' | 'sequence' | 'view' | 'statistics';

export function createMade(): Made {
  return { names: new Set() };
}

export function make({ names }: Made, kind: Kind, name: string): void {
  names.add(`${kind} ${name}`);
}

export function isMade({ names }: Made, kind: Kind, name: string): boolean {
  return names.has(`${kind} ${name}`);
}

/** The last part of a name that may have a schema before it. */
export function lastNameOf(parts: readonly Node[] | undefined): string {
  const last = parts?.at(-1);
  return last !== undefined && 'String' in last ? (last.String.sval ?? '') : '';
}

/** Every column that an expression names, without tables before it. */
export function columnsIn(node: unknown): string[] {
  if (node === null || typeof node !== 'object') return [];
  if (Array.isArray(node)) return node.flatMap(columnsIn);
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'ColumnRef' ? [lastNameOf((value as { fields?: Node[] }).fields)] : columnsIn(value),
  );
}
