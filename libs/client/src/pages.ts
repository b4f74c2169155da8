import { factsOf, type Given } from './call/request';
import type { Answer, CallOptions, OperationId, Params, RowOf, Rows } from './types';

type Ask<K extends OperationId> = (params: Params<K>, options?: CallOptions) => Promise<Answer<K>>;

/** The pages of an operation, asked for one by one. */
export function rowsOf<K extends OperationId>(id: K, params: Params<K>, options: CallOptions | undefined, ask: Ask<K>): Rows<K> {
  const field = factsOf(id).rows ?? 'rows';

  async function* pages(): AsyncGenerator<Answer<K>, void, undefined> {
    let cursor = (params as Given)['cursor'];
    for (;;) {
      const answer = await ask((cursor === undefined ? params : { ...(params as Given), cursor }) as Params<K>, options);
      yield answer;
      const next = (answer.data as Given)['next_cursor'];
      // The cursor of a list that grows is there at its end too: the rows after it are not made yet.
      if (typeof next !== 'string' || next === '' || (next === cursor && listIn(answer).length === 0)) return;
      cursor = next;
    }
  }

  function listIn(answer: Answer<K>): readonly RowOf<K>[] {
    return ((answer.data as Given)[field] ?? []) as readonly RowOf<K>[];
  }

  async function* rows(): AsyncGenerator<RowOf<K>, void, undefined> {
    for await (const page of pages()) yield* listIn(page);
  }

  async function take(total: number): Promise<RowOf<K>[]> {
    const taken: RowOf<K>[] = [];
    if (total <= 0) return taken;
    for await (const row of rows()) {
      taken.push(row);
      if (taken.length >= total) break;
    }
    return taken;
  }

  return {
    [Symbol.asyncIterator]: rows,
    pages,
    take,
    async all({ maxRows }) {
      const taken = await take(maxRows + 1);
      if (taken.length > maxRows) throw new RangeError(`There are more than ${maxRows} rows.`);
      return taken;
    },
  };
}
