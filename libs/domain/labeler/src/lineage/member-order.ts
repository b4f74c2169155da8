/** A member's name with its quoted form. */
export interface Member {
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
export class MemberOrder {
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
