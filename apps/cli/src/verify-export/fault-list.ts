import { count } from '../io/instant';

/** Faults of one kind that are named. */
const NAMED = 5;

/** What is wrong with an export, a sentence each; of many of one kind the first are named and the rest are counted. */
export class FaultList {
  private readonly kinds = new Map<string, { readonly named: string[]; total: number }>();

  /** `kind`: faults of one kind are counted together. */
  add(kind: string, sentence: string): void {
    const known = this.kinds.get(kind) ?? { named: [], total: 0 };
    known.total += 1;
    if (known.named.length < NAMED) known.named.push(sentence);
    this.kinds.set(kind, known);
  }

  lines(): readonly string[] {
    return [...this.kinds].flatMap(([kind, { named, total }]) =>
      total > named.length ? [...named, `${kind}: and ${count(total - named.length)} more like these`] : named,
    );
  }
}
