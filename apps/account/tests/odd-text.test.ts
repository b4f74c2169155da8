import type { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { caller, CASES, clients, priced, REQUESTS, testOddTexts } from './odd-texts';

/** Texts that databases, terminals or pages handle badly. */
const ODD_TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['a NUL', 'a\u0000b'],
  ['a lone surrogate', 'a\ud800b'],
  ['64 KiB', 'x'.repeat(65_536)],
  ['200 emoji', '🦉'.repeat(200)],
  ['text from right to left', '\u202eשלום\u202c'],
  ['nothing to see', '\u200b\u2060\ufeff'],
  ['a quote and a backslash', `'"\\; DROP TABLE tenant; --`],
  ['line ends', 'a\r\nb'],
];

testOddTexts(ODD_TEXTS);

test('every call of every service that takes text is here', () => {
  const streams = ['watchKeys', 'watchRecalls'];
  for (const { definition, calls } of Object.values(REQUESTS)) {
    expect(Object.keys(calls).sort()).toEqual(
      Object.keys(definition)
        .filter((name) => !streams.includes(name))
        .sort(),
    );
  }
  expect(CASES.length).toBeGreaterThan(70);
});

test('times far beyond the calendar are faults of their field', async () => {
  const calls = clients.get('credits') as unknown as GrpcClient<account.CreditServiceService>;
  const beyond = Number.MAX_SAFE_INTEGER;
  await expect(calls.call.getUsage({ tenantId: 'ten_1', fromTsMs: beyond - 1, toTsMs: beyond, workloadFamily: '' })).rejects.toMatchObject({
    faults: [{ field: 'from_ts_ms' }, { field: 'to_ts_ms' }],
  });
  const filter = { tenantId: 'ten_1', receiptId: '', requestId: '', workloadFamily: '', limit: 10, cursor: '' };
  await expect(calls.call.listReceipts({ ...filter, fromTsMs: beyond, toTsMs: -1 })).rejects.toMatchObject({
    faults: [{ field: 'from_ts_ms' }, { field: 'to_ts_ms' }],
  });
  await expect(
    calls.call.reserve({ operationId: 'op_far', caller, requestId: 'req_1', priced, expiresTsMs: beyond }),
  ).rejects.toMatchObject({ faults: [{ field: 'expires_ts_ms' }] });
});
