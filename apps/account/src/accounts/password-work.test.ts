import { createPasswordWork, type PasswordCaller, refuseWhoHasLeft } from './password-work';

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

let networks = 0;
/** A caller without a deadline, from its own address. */
function someone(part: Partial<PasswordCaller> = {}): PasswordCaller {
  networks += 1;
  return {
    isKnown: false,
    network: `10.0.${networks >> 8}.${networks & 255}`,
    signal: new AbortController().signal,
    deadlineMs: undefined,
    ...part,
  };
}

const full = { code: 'RESOURCE_EXHAUSTED', reason: 'password_work_full' };

test('four at once and sixty-four waiting, a quarter of each for known callers; the next is refused with the time to come again', async () => {
  const work = createPasswordWork();
  const { open, opened } = gate();
  const started: string[] = [];
  const runAs = (name: string, total: number, part: Partial<PasswordCaller>) =>
    Array.from({ length: total }, () =>
      work.run(someone(part), async () => {
        started.push(name);
        await opened;
      }),
    );
  const refusal = { ...full, metadata: { retry_after_s: '1' } };
  const strangers = runAs('stranger', 3 + 48, {});
  await expect(work.run(someone(), () => Promise.resolve())).rejects.toMatchObject(refusal);
  expect(started).toHaveLength(3);
  const known = runAs('known', 1 + 16, { isKnown: true });
  await expect(work.run(someone({ isKnown: true }), () => Promise.resolve())).rejects.toMatchObject(refusal);
  expect(started).toEqual(['stranger', 'stranger', 'stranger', 'known']);
  open();
  await Promise.all([...strangers, ...known]);
  expect(started.slice(4)).toEqual([...Array<string>(16).fill('known'), ...Array<string>(48).fill('stranger')]);
});

test('work that fails makes room for the next', async () => {
  const work = createPasswordWork({ atOnceMax: 1, waitingMax: 1 });
  const failing = work.run(someone(), () => Promise.reject(new Error('no memory')));
  const next = work.run(someone(), () => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('no memory');
  await expect(next).resolves.toBe('done');
  await expect(work.run(someone(), () => Promise.resolve('again'))).resolves.toBe('again');
});

test('who leaves while waiting is not worked on, and makes room at once', async () => {
  const work = createPasswordWork({ atOnceMax: 1, waitingMax: 1 });
  const { open, opened } = gate();
  const leaving = new AbortController();
  const tried: string[] = [];
  const running = work.run(someone(), () => opened);
  const left = work.run(someone({ signal: leaving.signal }), async () => void tried.push('left'));
  leaving.abort();
  await expect(left).rejects.toMatchObject(full);
  await expect(work.run(someone({ signal: leaving.signal }), async () => void tried.push('gone before'))).rejects.toMatchObject(full);
  const next = work.run(someone(), async () => void tried.push('next'));
  open();
  await Promise.all([running, next]);
  expect(tried).toEqual(['next']);
});

test('a wait that would be too long is refused at once, with its length', async () => {
  const work = createPasswordWork({ atOnceMax: 1, workMs: 3_000 });
  const { open, opened } = gate();
  const slow = [work.run(someone(), () => opened), work.run(someone(), () => opened)];
  const deadlineMs = Date.now() + 5_000;
  await expect(work.run(someone({ deadlineMs }), () => Promise.resolve())).rejects.toMatchObject({
    ...full,
    metadata: { retry_after_s: '3' },
  });
  await expect(work.run(someone({ deadlineMs: Date.now() + 3_900 }), () => Promise.resolve())).rejects.toMatchObject(full);
  open();
  await Promise.all(slow);
});

test('who can no longer get the answer in time leaves the queue, and is not worked on', async () => {
  const work = createPasswordWork({ atOnceMax: 1 });
  const { open, opened } = gate();
  const running = work.run(someone(), () => opened);
  let worked = false;
  const late = work.run(someone({ deadlineMs: Date.now() + 1_100 }), async () => void (worked = true));
  await expect(late).rejects.toMatchObject(full);
  open();
  await running;
  expect(worked).toBe(false);
});

test('one network has eight of the sixty-four places to wait in, IPv6 by its /48', async () => {
  const work = createPasswordWork();
  const { open, opened } = gate();
  const crowd = Array.from({ length: 40 }, (_, index) =>
    work
      .run(someone({ network: `2001:db8:1:${index}::/64` }), () => opened)
      .then(
        () => 'worked on',
        (error: { reason: string }) => error.reason,
      ),
  );
  const other = work.run(someone(), () => Promise.resolve('worked on'));
  open();
  await expect(other).resolves.toBe('worked on');
  expect((await Promise.all(crowd)).filter((outcome) => outcome === 'worked on')).toHaveLength(11);
});

test('unknown callers have a burst, then start in order at a fixed rate; known callers do not wait for it', async () => {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  try {
    const work = createPasswordWork({ unknownBurst: 2, unknownPerSecond: 100 });
    const started: string[] = [];
    const runAs = (name: string, part: Partial<PasswordCaller> = {}) => work.run(someone(part), async () => void started.push(name));
    await Promise.all([runAs('first'), runAs('second')]);
    const waiting = [runAs('third'), runAs('fourth')];
    await runAs('known', { isKnown: true });
    expect(started).toEqual(['first', 'second', 'known']);
    clock.mockReturnValue(10);
    await waiting[0];
    expect(started).toEqual(['first', 'second', 'known', 'third']);
    clock.mockReturnValue(20);
    await waiting[1];
    clock.mockReturnValue(1_000);
    await Promise.all([runAs('fifth'), runAs('sixth')]);
    expect(started).toEqual(['first', 'second', 'known', 'third', 'fourth', 'fifth', 'sixth']);
  } finally {
    clock.mockRestore();
  }
});

test('an unknown caller whose hash would come too late is refused with the time to come again', async () => {
  const work = createPasswordWork({ unknownBurst: 1, unknownPerSecond: 0.1 });
  await work.run(someone(), () => Promise.resolve());
  const late = work.run(someone({ deadlineMs: Date.now() + 5_000 }), () => Promise.resolve());
  await expect(late).rejects.toMatchObject({ ...full, metadata: { retry_after_s: '10' } });
});

test('a process that was stopped for a minute in the middle of a hash serves the next at once', async () => {
  const clock = jest.spyOn(performance, 'now');
  try {
    const work = createPasswordWork({ workMs: 30 });
    clock.mockReturnValueOnce(0).mockReturnValueOnce(60_000);
    await work.run(someone({ isKnown: true }), () => Promise.resolve());
    const deadlineMs = Date.now() + 5_000;
    const crowd = Array.from({ length: 12 }, () => work.run(someone({ deadlineMs }), () => Promise.resolve('done')));
    expect(await Promise.all(crowd)).toEqual(Array.from({ length: 12 }, () => 'done'));
  } finally {
    clock.mockRestore();
  }
});

test('the estimate refuses no caller while a slot is free', async () => {
  const work = createPasswordWork({ workMs: 60_000 });
  await expect(work.run(someone({ deadlineMs: Date.now() + 5_000 }), () => Promise.resolve('done'))).resolves.toBe('done');
});

describe('before a commit', () => {
  const here = new AbortController().signal;

  it('refuses a caller who has left, or will have when the answer comes', () => {
    expect(() => refuseWhoHasLeft({ signal: AbortSignal.abort(), deadlineMs: undefined })).toThrow('Too many passwords');
    expect(() => refuseWhoHasLeft({ signal: here, deadlineMs: Date.now() })).toThrow('Too many passwords');
  });

  it('lets one go on who waits', () => {
    expect(() => refuseWhoHasLeft({ signal: here, deadlineMs: undefined })).not.toThrow();
    expect(() => refuseWhoHasLeft({ signal: here, deadlineMs: Date.now() + 60_000 })).not.toThrow();
  });
});
