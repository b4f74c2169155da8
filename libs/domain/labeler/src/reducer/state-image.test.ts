import { loadPolicy } from '../policy/policy';
import { createState } from './labeler-state';
import { restoreState, StateRestoreError, serializeState, packTable, unpackTable } from './state-image';

const policy = loadPolicy();

test('a table gives its rows back', () => {
  const rows = [
    { tsMs: 1, long: true, note: null },
    { tsMs: 2, long: false, note: 'x' },
  ];
  const table = packTable(rows, ['note', 'tsMs', 'long']);
  expect(table).toEqual({ columns: ['note', 'tsMs', 'long'], cells: [null, 1, true, 'x', 2, false] });
  expect(unpackTable(table)).toEqual(rows);
  expect(() => unpackTable({ columns: ['a', 'b'], cells: [1] })).toThrow(RangeError);
});

test('a fresh state survives storing', () => {
  const state = createState('BTCUSD-PERP', policy);
  expect(restoreState(serializeState(state), policy)).toEqual(state);
});

test('a state of another form, or made under another policy, is refused', () => {
  const bytes = serializeState(createState('BTCUSD-PERP', policy));
  const image = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>;
  const changed = (fields: Record<string, unknown>) => Buffer.from(JSON.stringify({ ...image, ...fields }));
  expect(() => restoreState(changed({ format: 'other.v9' }), policy)).toThrow(StateRestoreError);
  expect(() => restoreState(changed({ policyDigest: '0'.repeat(64) }), policy)).toThrow(StateRestoreError);
});

test('an object of the right format and policy that is no state is refused, whatever of it is missing or broken', () => {
  const image = JSON.parse(Buffer.from(serializeState(createState('BTCUSD-PERP', policy))).toString('utf8')) as Record<string, object>;
  const restore = (changed: object) => () => restoreState(Buffer.from(JSON.stringify(changed)), policy);
  expect(restore({ format: image.format, policyDigest: image.policyDigest })).toThrow(StateRestoreError);
  for (const part of ['log', 'windows', 'memory']) {
    expect(restore({ ...image, [part]: undefined })).toThrow(StateRestoreError);
    expect(restore({ ...image, [part]: 17 })).toThrow(StateRestoreError);
  }
  expect(restore({ ...image, log: { ...image.log, pending: ['AAAA'] } })).toThrow(StateRestoreError);
  expect(restore({ ...image, memory: { ...image.memory, session: { columns: ['a', 'b'], cells: [1] } } })).toThrow(StateRestoreError);
});

test.each(['', '{"format":', 'null', '17'])('bytes that are no state are refused: %j', (text) => {
  expect(() => restoreState(Buffer.from(text), policy)).toThrow(StateRestoreError);
});
