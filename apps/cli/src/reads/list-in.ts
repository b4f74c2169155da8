import { isRow, type Row } from '../output/cells';

/** The objects in a list of an answer; none where it has no such list. */
export function listIn(answer: Row, name: string): readonly Row[] {
  const list = answer[name];
  return Array.isArray(list) ? list.filter(isRow) : [];
}
