import { loadPolicy } from '@market-state/labeler';
import { numberText } from './figure-words';
import { packetOf } from './packet-file';
import { packetChart, packetTable } from './packet-figure';
import { BASE_URL, EXAMPLE_URL } from '../site/page';

interface Filled {
  readonly text: string;
  readonly drawn: string;
  readonly drawings: ReadonlyMap<string, string>;
}

const PACKET = /^\{\{packet ([a-z0-9_]+)\}\}$/gm;

/**
 * Fills in `{{base_url}}` and its placeholder, numbers of policy and packets, and `{{packet <word>}}`.
 * @throws Error naming every invalid token
 */
export function fillPage(markdown: string): Filled {
  const filled = fillTokens(markdown.replaceAll('{{base_url}}', BASE_URL).replaceAll(EXAMPLE_URL, BASE_URL), {
    policyFiles: loadPolicy().files,
    packetOf,
  });
  const drawings = new Map<string, string>();
  const drawn = filled.replace(PACKET, (_, word: string) => {
    const mark = `drawing-${word}`;
    drawings.set(mark, packetChart(packetOf(word)));
    return mark;
  });
  const text = filled.replace(PACKET, (_, word: string) => packetTable(packetOf(word)));
  const left = /\{\{[^}]*\}\}/.exec(text);
  if (left !== null) throw new Error(`Unknown token ${left[0]}.`);
  return { text, drawn, drawings };
}

interface TokenSources {
  readonly policyFiles: object;
  readonly packetOf: (word: string) => object;
}

/** `{{policy numbers#/thresholds/flow/watch}}`, `{{value depth_watch#/confidence/score}}` */
const TOKEN = /\{\{(policy|value) ([a-z0-9_]+)#(\/[^}]*)\}\}/g;

/**
 * Fills in values of a policy file, or of the page's packet, named by JSON pointer. Formats numbers with `numberText`.
 * @throws Error naming every token without a number or text
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

/** Resolves a JSON pointer (RFC 6901); undefined if there is no such value. */
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
