import { fromHex, sha256Hex } from '@market-state/market-data';

interface Member {
  readonly name: string;
  readonly prefix: string;
}

interface Step {
  readonly next: Map<string, Step>;
  members: readonly Member[] | null;
}

const STEPS_MAX = 20_000;

/** Caches sorted member orders in a trie: much cheaper than sorting hundreds of objects of a few shapes. */
class MemberOrder {
  private readonly root: Step = { next: new Map(), members: null };
  private steps = 0;

  constructor(private readonly quote: (name: string) => string) {}

  sorted(names: readonly string[]): readonly Member[] {
    let step = this.root;
    for (const name of names) {
      let next = step.next.get(name);
      if (next === undefined) {
        if (this.steps >= STEPS_MAX) return this.sort(names);
        next = { next: new Map(), members: null };
        step.next.set(name, next);
        this.steps++;
      }
      step = next;
    }
    return (step.members ??= this.sort(names));
  }

  private sort(names: readonly string[]): readonly Member[] {
    return [...names].sort().map((name) => ({ name, prefix: `${this.quote(name)}:` }));
  }
}

const PLAIN = /^[ !#-[\]-~]*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Marked pure, so that a bundle which only hashes leaves it out. */
const order = /* @__PURE__ */ new MemberOrder(canonicalString);

/**
 * Serializes a value as RFC 8785 (JCS). Members with an undefined value are omitted.
 * @throws TypeError for a non-finite number, a lone surrogate, or a value without a JSON form
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`JSON has no number ${value}`);
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Readonly<Record<string, unknown>>);
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}

function canonicalString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (LONE_SURROGATE.test(text)) throw new TypeError('a string holds a lone surrogate');
  return JSON.stringify(text);
}

function canonicalArray(items: readonly unknown[]): string {
  let text = '[';
  for (let index = 0; index < items.length; index++) text += (index === 0 ? '' : ',') + canonicalJson(items[index]);
  return `${text}]`;
}

function canonicalObject(members: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const { name, prefix } of order.sorted(Object.keys(members))) {
    const member = members[name];
    if (member === undefined) continue;
    text += (text === '' ? prefix : `,${prefix}`) + canonicalJson(member);
  }
  return `{${text}}`;
}

/** 64 lower-case hex characters. */
export type HexDigest = string;

export { sha256Hex };

/** Next lineage digest: SHA-256 of the previous digest's 32 bytes and the packet digest's 32 bytes. */
export function lineageDigest(previous: HexDigest, packetDigest: HexDigest): HexDigest {
  return sha256Hex(fromHex(previous + packetDigest));
}
