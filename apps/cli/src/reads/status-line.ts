import { isRow, memberAt, type Row } from '../output/cells';

/** What an answer says of itself: state, instant and why, in one line; undefined where it says nothing. */
export function statusLine(answer: Row): string | undefined {
  const semantics = memberAt(answer, 'meta.response_semantics');
  if (!isRow(semantics)) return undefined;
  const asOf = answer['as_of_utc'];
  const state = [semantics['response_state'], semantics['stale'] === true ? 'stale' : ''].filter((word) => word !== '').join(', ');
  return `${state}${typeof asOf === 'string' ? `, as of ${asOf}` : ''}: ${String(semantics['status_text'])}`;
}
