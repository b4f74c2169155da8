/** How much of an answer an example keeps. */
export interface Cut {
  /** Items that each list keeps. */
  readonly items: number;
  /** Lists that keep another number of items, by their place. Items of a list have the place of the list. */
  readonly lists: Readonly<Record<string, number>>;
  /** Fields that an object keeps, by its place. */
  readonly keeps: Readonly<Record<string, readonly string[]>>;
}

/** An answer cut down, and a line for each place where something was left out. */
export interface CutAnswer {
  readonly value: unknown;
  readonly left: readonly string[];
}

/** Keeps the first items of every list, and the named fields of some objects. */
export function cutAnswer(answer: unknown, { items, lists, keeps }: Cut): CutAnswer {
  const left = new Map<string, string>();

  function walk(value: unknown, place: string): unknown {
    if (Array.isArray(value)) {
      const kept = lists[place] ?? items;
      if (value.length > kept && !left.has(place)) left.set(place, `\`${place}\` has ${value.length} items`);
      return value.slice(0, kept).map((item) => walk(item, place));
    }
    if (typeof value !== 'object' || value === null) return value;
    const all = Object.entries(value);
    const wanted = keeps[place];
    const kept = wanted === undefined ? all : all.filter(([name]) => wanted.includes(name));
    if (kept.length < all.length && !left.has(place)) left.set(place, `\`${place}\` has ${all.length} fields`);
    return Object.fromEntries(kept.map(([name, inner]) => [name, walk(inner, place === '' ? name : `${place}.${name}`)]));
  }

  return { value: walk(answer, ''), left: [...left.values()] };
}

/** The beginning of a text, at the end of a line where one is near. */
export function cutText(text: string, characters: number): CutAnswer {
  if (text.length <= characters) return { value: text, left: [] };
  const begin = text.slice(0, characters);
  const lineEnd = begin.lastIndexOf('\n');
  return { value: `${lineEnd > characters / 2 ? begin.slice(0, lineEnd) : begin}\n…\n`, left: [`the text has ${text.length} characters`] };
}
