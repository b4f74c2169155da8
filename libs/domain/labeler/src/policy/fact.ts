/** The value of a fact at T. `null`: there is nothing to read (a missing source, no book, no packet before). Absent is not zero. */
export type FactValue = number | string | boolean | readonly string[] | null;

/** Facts by name; every name of policy/facts.json is there, null where nothing can be read. */
export type Facts = Readonly<Record<string, FactValue>>;

/** Facts that may still be added to. */
export type FactSet = Record<string, FactValue>;

/** No facts yet. Without a prototype: some two hundred names are added one by one, which is far quicker on a plain dictionary. */
export function emptyFacts(): FactSet {
  return Object.create(null) as FactSet;
}

export type FactType = 'number' | 'word' | 'flag' | 'list';

/** One entry of policy/facts.json: a name that rules and sentences may use. */
export interface FactDeclaration {
  readonly name: string;
  readonly type: FactType;
  /**
   * `market` facts are known before tags are made; `packet` facts come after, and no tag may read them; `lane` facts belong to one compute
   * lane.
   */
  readonly stage: 'market' | 'packet' | 'lane';
  /** Where the same value stands in the packet, as a dotted path; `lane:<lane_id>.<field>` for a compute lane. */
  readonly packet_field?: string;
  /** Where no field holds the value itself: facts with a field from which it follows. */
  readonly derived_from?: readonly string[];
  /** The kind of taxonomy term that the word (or each word of the list) is. */
  readonly taxonomy?: string;
  /** The words it may hold, where they are not the taxonomy's. */
  readonly words?: readonly string[];
  /** For a feature: the source family without which it is null. */
  readonly source_family?: string;
  readonly meaning: string;
}
