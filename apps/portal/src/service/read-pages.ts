import type { Data, OperationId, Rows } from '@market-state/client';
import { noteCall } from './meter';

export async function readPages<K extends OperationId, Row>(
  list: Rows<K>,
  rowsOf: (page: Data<K>) => readonly Row[],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { data, call } of list.pages()) {
    noteCall(call);
    rows.push(...rowsOf(data));
  }
  return rows;
}
