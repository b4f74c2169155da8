/** How much a tool tells. */
export const DETAILS = ['concise', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

/** Bytes of an answer as JSON, by how much was asked for. */
export const ANSWER_BYTES_MAX: Readonly<Record<Detail, number>> = { concise: 2_000, full: 24_000 };

/** Bytes that nothing given to an agent exceeds, a resource neither. */
export const TEXT_BYTES_MAX = 32_000;

export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** A call that goes on where an answer ends. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What an answer says, and what of it may be left out. */
export interface Content {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of lists in `fields` that may be shortened, the least important first. */
  readonly lists: readonly string[];
  /** Those of `lists` in order of time: they lose their start and keep the newest. The others lose their end. */
  readonly newestLast?: readonly string[];
  /** How to get what was left out of the lists: from how many items were given. */
  readonly rest?: (given: Readonly<Record<string, number>>) => NextCall;
  /** How to get what follows, where the service has more than it was asked for. */
  readonly next?: NextCall;
}

/** Items that each list keeps while another can still be shortened; fewer only if the answer does not fit otherwise. */
const FLOORS = [2, 1, 0] as const;

/**
 * The fields with as much of each list as fits in `bytesMax`, counted as JSON. Omitted items are counted by list in `omitted`, next to
 * `truncated` and `next`. An answer without `next` has nothing after it.
 * @throws RangeError when it does not fit without any item either
 */
export function fit({ fields, lists, newestLast = [], rest, next }: Content, bytesMax: number): Readonly<Record<string, unknown>> {
  const given: Record<string, number> = Object.fromEntries(lists.map((name) => [name, listIn(fields, name).length]));
  const made = (): Readonly<Record<string, unknown>> => {
    const omitted = lists.filter((name) => countOf(given, name) < listIn(fields, name).length);
    if (omitted.length === 0) return { ...fields, ...(next === undefined ? {} : { next }) };
    const left = Object.fromEntries(omitted.map((name) => [name, listIn(fields, name).length - countOf(given, name)]));
    const cut = Object.fromEntries(
      omitted.map((name) => [name, shortened(listIn(fields, name), countOf(given, name), newestLast.includes(name))]),
    );
    return { ...fields, ...cut, truncated: true, omitted: left, ...(rest === undefined ? {} : { next: rest(given) }) };
  };
  for (const [floor, name] of FLOORS.flatMap((each) => lists.map((list) => [each, list] as const))) {
    if (sizeOf(made()) <= bytesMax) break;
    given[name] = mostThat(floor, countOf(given, name), (count) => {
      given[name] = count;
      return sizeOf(made()) <= bytesMax;
    });
  }
  const answer = made();
  if (sizeOf(answer) > bytesMax) throw new RangeError(`an answer of ${sizeOf(answer)} bytes does not fit in ${bytesMax}`);
  return answer;
}

function shortened(items: readonly unknown[], count: number, keepsEnd: boolean): readonly unknown[] {
  return keepsEnd ? items.slice(items.length - count) : items.slice(0, count);
}

/** The largest number from `floor` to below `above` that holds; if none does, the smaller of both. */
function mostThat(floor: number, above: number, holds: (count: number) => boolean): number {
  let [low, high] = [Math.min(floor, above), above];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function countOf(given: Readonly<Record<string, number>>, name: string): number {
  return given[name] ?? 0;
}

function listIn(fields: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const list = fields[name];
  return Array.isArray(list) ? list : [];
}
