import { loadPolicy } from '@market-state/labeler';
import { numberText } from './figure-words';
import { packetOf } from './packet-file';
import { packetFigure, packetTable } from './packet-figure';
import { BASE_URL, EXAMPLE_URL } from '../site/page';

/** Both forms of a text whose tokens were filled in. */
interface Filled {
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

/** Where tokens of a page are looked up. */
interface TokenSources {
  /** Content of the policy's files by name without `.json`, as `loadPolicy().files` has them. */
  readonly policyFiles: object;
  /** The packet that the page of a word shows. */
  readonly packetOf: (word: string) => object;
}

/** `{{policy numbers#/thresholds/flow/watch}}`, `{{value depth_watch#/confidence/score}}` */
const TOKEN = /\{\{(policy|value) ([a-z0-9_]+)#(\/[^}]*)\}\}/g;

/**
 * A page with its tokens filled in: a value of a policy file, or of the packet that a page shows, named by a JSON pointer. Numbers are
 * printed as `numberText` does.
 * @throws Error naming every token that leads to nothing, or to no number or text
 */
export function fillTokens(page: string, { policyFiles, packetOf }: TokenSources): string {
  const faults: string[] = [];
  const filled = page.replace(TOKEN, (token: string, kind: string, name: string, pointer: string) => {
    const found = kind === 'policy' ? valueAt(policyFiles, `/${name}${pointer}`) : valueAt(packetOf(name), pointer);
    if (typeof found === 'number') return numberText(found);
    if (typeof found === 'string' && found !== '') return found;
    faults.push(token);
    return token;
  });
  if (faults.length > 0) throw new Error(`No number or text at: ${faults.join(', ')}`);
  return filled;
}

/** What a JSON pointer (RFC 6901) leads to; undefined where nothing is. */
function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, part) => (typeof at === 'object' && at !== null && Object.hasOwn(at, part) ? (at as Record<string, unknown>)[part] : undefined),
      document,
    );
}
