import { once } from 'node:events';
import { holdLease, LeaseLostError } from './lease';

test('a renewed lease stays, and aborts once a renewal reports that it is lost', async () => {
  const answers = [true, true, false];
  let renewals = 0;
  const lease = holdLease({ renew: async () => answers[renewals++] ?? false, everyMs: 1 });
  await once(lease.signal, 'abort');
  expect([renewals, lease.signal.reason]).toEqual([3, expect.any(LeaseLostError)]);
  await lease.close();
});

test('a failed renewal is retried', async () => {
  let renewals = 0;
  const lease = holdLease({
    renew: () => {
      renewals += 1;
      return renewals < 3 ? Promise.reject(new Error('the database is away')) : Promise.resolve(false);
    },
    everyMs: 1,
  });
  await once(lease.signal, 'abort');
  expect(renewals).toBe(3);
  await lease.close();
});

test('a lease ends with the reason of its stop signal', async () => {
  const stop = new AbortController();
  const lease = holdLease({ renew: async () => true, everyMs: 1, stop: stop.signal });
  stop.abort(new Error('the worker stops'));
  expect(lease.signal.reason).toMatchObject({ message: 'the worker stops' });
  await lease.close();
});
