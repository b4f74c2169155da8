import type { StoredPacket } from '../packets/packet';
import { shareVerifications, type Verification } from './verification';

const PACKET = {} as StoredPacket;
const VERIFIED = {} as Verification;

test('two verifications run, sixteen wait, and one more is refused', async () => {
  let running = 0;
  let runningMax = 0;
  const ends: (() => void)[] = [];
  const verify = shareVerifications(async () => {
    runningMax = Math.max(runningMax, (running += 1));
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
    return VERIFIED;
  });
  const admitted = Array.from({ length: 18 }, () => verify(PACKET, new AbortController().signal));
  await expect(verify(PACKET, new AbortController().signal)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'overloaded' });
  let ended = 0;
  for (const call of admitted) {
    while (ends.length <= ended) await Promise.resolve();
    ends[ended++]?.();
    expect(await call).toBe(VERIFIED);
  }
  expect(runningMax).toBe(2);
});

test('a caller who leaves while waiting costs no verification', async () => {
  let started = 0;
  const ends: (() => void)[] = [];
  const verify = shareVerifications(async () => {
    started += 1;
    await new Promise<void>((resolve) => ends.push(resolve));
    return VERIFIED;
  });
  const running = [1, 2].map(() => verify(PACKET, new AbortController().signal));
  const leaving = new AbortController();
  const left = verify(PACKET, leaving.signal);
  leaving.abort();
  for (const end of ends) end();
  await Promise.all(running);
  await expect(left).rejects.toThrow('aborted');
  expect(started).toBe(2);
});
