import { numberText } from './number-text';

/** Where tokens of a page are looked up. */
export interface TokenSources {
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
