import { loadPolicy } from '@market-state/labeler';
import { packetOf } from '../packets/packet-file';
import { packetFigure } from '../packets/packet-figure';
import { packetTable } from '../packets/packet-table';
import { fillTokens } from '../packets/page-tokens';
import { BASE_URL, EXAMPLE_URL } from './page';

/** Both forms of a text whose tokens were filled in. */
export interface Filled {
  /** Markdown for whoever reads the text: a packet is its tables. */
  readonly text: string;
  /** Markdown with a mark for each drawing, and the drawings by their marks. */
  readonly drawn: string;
  readonly drawings: ReadonlyMap<string, string>;
}

const PACKET = /^\{\{packet ([a-z0-9_]+)\}\}$/gm;

/**
 * Fills in `{{base_url}}` and its stand-in, numbers of policy and packets, and `{{packet <word>}}`.
 * @throws Error naming every token that leads nowhere
 */
export function fillPage(markdown: string): Filled {
  const filled = fillTokens(markdown.replaceAll('{{base_url}}', BASE_URL).replaceAll(EXAMPLE_URL, BASE_URL), {
    policyFiles: loadPolicy().files,
    packetOf,
  });
  const drawings = new Map<string, string>();
  const drawn = filled.replace(PACKET, (_, word: string) => {
    const mark = `drawing-${word}`;
    drawings.set(mark, packetFigure(packetOf(word)));
    return mark;
  });
  const text = filled.replace(PACKET, (_, word: string) => packetTable(packetOf(word)));
  const left = /\{\{[^}]*\}\}/.exec(text);
  if (left !== null) throw new Error(`There is no token ${left[0]}.`);
  return { text, drawn, drawings };
}
