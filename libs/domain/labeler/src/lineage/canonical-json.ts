/** A member's name with its quoted form. */
interface Member {
  readonly name: string;
  /** `"name":` */
  readonly prefix: string;
}

/** One step along the names of an object in the order in which they were set. */
interface Step {
  readonly next: Map<string, Step>;
  /** The names up to here, sorted. */
  members: readonly Member[] | null;
}

/** Orders kept; objects with yet other names are sorted each time. */
const STEPS_MAX = 20_000;

/**
 * Remembers the sorted order of the names of objects by the names as they were set: packets hold some hundred objects of the same few
 * kinds, and walking the names of one costs a fraction of sorting them.
 */
class MemberOrder {
  private readonly root: Step = { next: new Map(), members: null };
  private steps = 0;

  constructor(private readonly quote: (name: string) => string) {}

  /** The members of these names by the UTF-16 code units of the names. */
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

/** Characters that JSON writes as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

const order = new MemberOrder(canonicalString);

/**
 * The value as RFC 8785 (JCS) text: members sorted by the UTF-16 code units of their names, numbers and strings as ECMAScript
 * writes them, no white space. A member whose value is undefined is left out.
 * @throws TypeError on a number that is not finite, a lone surrogate, or anything JSON does not know.
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
