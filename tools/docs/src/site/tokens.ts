import { loadPolicy } from '@market-state/labeler';
import { packetOf } from '../packets/packet-file';
import { packetFigure } from '../packets/packet-figure';
import { packetTable } from '../packets/packet-table';
import { BASE_URL } from './page';

/** Both forms of a text whose tokens were replaced. */
export interface Resolved {
  /** Markdown for whoever reads the text. */
  readonly text: string;
  /** Markdown with a mark for each drawing, and the drawings by their marks. */
  readonly drawn: string;
  readonly drawings: ReadonlyMap<string, string>;
}

const TOKEN = /\{\{(\w+)(?: ([^}]+))?\}\}/g;

/**
 * Replaces `{{base_url}}`, `{{policy <file>#<pointer>}}`, `{{value <packet>#<pointer>}}` and `{{packet <packet>}}`.
 * @throws Error for a token that leads nowhere
 */
export function resolveTokens(markdown: string): Resolved {
  const drawings = new Map<string, string>();
  const text = markdown.replace(TOKEN, (token, kind: string, argument = '') =>
    kind === 'packet' ? packetTable(packetOf(argument)) : valueOf(token, kind, argument),
  );
  const drawn = markdown.replace(TOKEN, (token, kind: string, argument = '') => {
    if (kind !== 'packet') return valueOf(token, kind, argument);
    const mark = `drawing-${argument}`;
    drawings.set(mark, packetFigure(packetOf(argument)));
    return mark;
  });
  return { text, drawn, drawings };
}

function valueOf(token: string, kind: string, argument: string): string {
  const [name = '', pointer = ''] = argument.split('#');
  if (kind === 'base_url') return BASE_URL;
  if (kind === 'policy') return plain(at((loadPolicy().files as unknown as Readonly<Record<string, unknown>>)[name], pointer, token));
  if (kind === 'value') return plain(at(packetOf(name), pointer, token));
  throw new Error(`There is no token ${token}.`);
}

/** The value at a JSON pointer (RFC 6901). */
function at(value: unknown, pointer: string, token: string): unknown {
  let found = value;
  for (const part of pointer.split('/').slice(1))
    found = (found as Readonly<Record<string, unknown>> | undefined | null)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  if (found === undefined || (typeof found === 'object' && found !== null)) throw new Error(`${token} leads to no single value.`);
  return found;
}

function plain(value: unknown): string {
  return value === null ? 'not reported' : String(value);
}
