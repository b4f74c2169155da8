import { jsonRepresentation, keptText, type Representation, splicedRepresentation } from '../http/representation';
import { accountAnswer } from './account-answer';
import { type AnswerSource, dataAnswer } from './data-answer';
import type { Meta } from '../meta/meta';
import type { AnswerOf, Handler, HandlerTable, Reply } from './handler';

// The type check of this file is the test: marked lines must not compile, and a documented answer must.

type Described = (answer: { readonly meta: Meta; readonly source: AnswerSource; readonly reply: Reply }) => readonly unknown[];

const asDescribed: Described = ({ meta }) => {
  const revokeKey: Handler<'revokeKey'> = () => jsonRepresentation({ key_id: 'key_1', revoked: true as const, meta });
  const further: Handler<'revokeKey'> = () => ({ ...jsonRepresentation({ key_id: 'key_1', revoked: true as const, meta }), observed: 1 });
  return [revokeKey, further];
};

const otherwise: Described = ({ meta, source, reply }) => {
  // @ts-expect-error a field lacks
  const lacking: Handler<'revokeKey'> = () => jsonRepresentation({ key_id: 'key_1', meta });
  // @ts-expect-error a field has another name
  const misnamed: Handler<'revokeKey'> = () => jsonRepresentation({ keyId: 'key_1', revoked: true as const, meta });
  // @ts-expect-error a field has another type
  const mistyped: Handler<'revokeKey'> = () => jsonRepresentation({ key_id: 1, revoked: true as const, meta });
  // @ts-expect-error a field has a value that is not listed
  const unlisted: Handler<'revokeKey'> = () => jsonRepresentation({ key_id: 'key_1', revoked: false as const, meta });
  // @ts-expect-error through a function that others share
  const shared: Handler<'revokeKey'> = (call) => accountAnswer(call, { key_id: 'key_1' }, '');
  // @ts-expect-error rows that lack their total
  const rows: Handler<'listGaps'> = (call) => jsonRepresentation(dataAnswer(call, source, { rows: [], next_cursor: null }));
  // @ts-expect-error a row that is none
  const row: Handler<'listGaps'> = (call) => jsonRepresentation(dataAnswer(call, source, { rows: [{}], row_total: 1, next_cursor: null }));
  // @ts-expect-error with further headers
  const withHeaders: Handler<'revokeKey'> = (call) => ({ ...accountAnswer(call, { revoked: true }, ''), headers: {} });
  // @ts-expect-error around rows that are bytes already
  const spliced: Handler<'getReplayWindow'> = () => splicedRepresentation({ rows: [] }, { rows: [] });
  // @ts-expect-error some JSON
  const unknownBody: Handler<'revokeKey'> = () => reply;
  // @ts-expect-error text in place of JSON
  const text: Handler<'revokeKey'> = () => keptText(Buffer.from(''), 'text/plain');
  // @ts-expect-error JSON in place of messages
  const stream: Handler<'streamData'> = () => jsonRepresentation({});
  const revoked = (): Representation<AnswerOf<'revokeKey'>> => jsonRepresentation({ key_id: 'key_1', revoked: true, meta });
  // @ts-expect-error the answer of another operation, in a table
  const table: HandlerTable<'revokeKey' | 'listKeys'> = { revokeKey: revoked, listKeys: revoked };
  return [lacking, misnamed, mistyped, unlisted, shared, rows, row, withHeaders, spliced, unknownBody, text, stream, table];
};

it('compiles with an answer as the document has it, and with no other', () => {
  expect([asDescribed, otherwise]).toHaveLength(2);
});
