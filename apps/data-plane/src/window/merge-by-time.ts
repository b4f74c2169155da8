import type { MergedItem, ReplayItem } from './paced-frames';

interface Head {
  readonly item: ReplayItem;
  readonly of: number;
  readonly rest: AsyncIterator<ReplayItem>;
}

/**
 * Several replays as one: always the item that was received first of those that are next in each, and of items received in the same
 * millisecond that of the earlier replay in the list. Each keeps its own order. What follows depends on what is next in each alone, so that
 * a merged replay that is cut and gone on with is the uncut one.
 */
export async function* mergeByTime(replays: readonly AsyncIterable<ReplayItem>[]): AsyncGenerator<MergedItem, void, undefined> {
  const iterators = replays.map((replay) => replay[Symbol.asyncIterator]());
  try {
    const first = await Promise.all(iterators.map((rest, of) => headOf(rest, of)));
    const heads = first.filter((head) => head !== undefined);
    while (heads.length > 0) {
      const at = earliestOf(heads);
      const { item, of, rest } = heads[at] as Head;
      yield { ...item, of };
      const next = await headOf(rest, of);
      if (next === undefined) heads.splice(at, 1);
      else heads[at] = next;
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

async function headOf(rest: AsyncIterator<ReplayItem>, of: number): Promise<Head | undefined> {
  const next = await rest.next();
  return next.done === true ? undefined : { item: next.value, of, rest };
}

/** Heads stand in the order of their replays: of equals the first is taken. */
function earliestOf(heads: readonly Head[]): number {
  let at = 0;
  for (const [index, { item }] of heads.entries()) if (item.receivedMs < (heads[at] as Head).item.receivedMs) at = index;
  return at;
}
