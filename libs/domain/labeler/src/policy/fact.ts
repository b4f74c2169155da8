/** Null if there is nothing to read: absent is not zero. */
export type FactValue = number | string | boolean | readonly string[] | null;

/** Facts by name; every name of policy/facts.json is present, null if unreadable. */
export type Facts = Readonly<Record<string, FactValue>>;

export type FactSet = Record<string, FactValue>;

/** Without a prototype: adding hundreds of names is much faster on a plain dictionary. */
export function emptyFacts(): FactSet {
  return Object.create(null) as FactSet;
}

export type FactType = 'number' | 'word' | 'flag' | 'list';

export interface FactDeclaration {
  readonly name: string;
  readonly type: FactType;
  /** `packet` facts follow the tags, so no tag may read them; `lane` facts belong to one compute lane. */
  readonly stage: 'market' | 'packet' | 'lane';
  /** Dotted path of the same value in the packet; `lane:<lane_id>.<field>` for a compute lane. */
  readonly packet_field?: string;
  /** For values without a field of their own: facts with a field from which they follow. */
  readonly derived_from?: readonly string[];
  /** Taxonomy kind of the word or list of words. */
  readonly taxonomy?: string;
  readonly words?: readonly string[];
  /** For a feature: the source family without which it is null. */
  readonly source_family?: string;
  readonly meaning: string;
}
