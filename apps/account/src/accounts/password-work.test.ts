import { createPasswordWork, type PasswordCaller, refuseWhoHasLeft } from './password-work';

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

let networks = 0;
/** Somebody with all the time in the world, from an address of their own. */
function someone(part: Partial<PasswordCaller> = {}): PasswordCaller {
  networks += 1;
  return { network: `10.0.${networks >> 8}.${networks & 255}`, signal: new AbortController().signal, deadlineMs: undefined, ...part };
}

const full = { code: 'RESOURCE_EXHAUSTED', reason: 'password_work_full' };

test('four at once, sixty-four waiting, and the next is refused with the time to come again', async () => {
  const work = createPasswordWork();
  const { open, opened } = gate();
  let begun = 0;
  const all = Array.from({ length: 68 }, () =>
    work.run(someone(), async () => {
      begun += 1;
      await opened;
    }),
  );
  await expect(work.run(someone(), () => Promise.resolve())).rejects.toMatchObject({ ...full, metadata: { retry_after_s: '1' } });
  expect(begun).toBe(4);
  open();
  await Promise.all(all);
  expect(begun).toBe(68);
});

test('work that fails leaves its turn to the next', async () => {
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

test('one network address has eight of the sixty-four to wait in', async () => {
  const work = createPasswordWork();
  const { open, opened } = gate();
  const crowd = Array.from({ length: 40 }, () =>
    work
      .run(someone({ network: '203.0.113.1' }), () => opened)
      .then(
        () => 'worked on',
        (error: { reason: string }) => error.reason,
      ),
  );
  const other = work.run(someone(), () => Promise.resolve('worked on'));
  open();
  await expect(other).resolves.toBe('worked on');
  expect((await Promise.all(crowd)).filter((outcome) => outcome === 'worked on')).toHaveLength(12);
});

test('a process that was stopped for a minute in the middle of a hash serves the next at once', async () => {
  const clock = jest.spyOn(performance, 'now');
  try {
    const work = createPasswordWork({ workMs: 30 });
    clock.mockReturnValueOnce(0).mockReturnValueOnce(60_000);
    await work.run(someone(), () => Promise.resolve());
    const deadlineMs = Date.now() + 5_000;
    const crowd = Array.from({ length: 12 }, () => work.run(someone({ deadlineMs }), () => Promise.resolve('done')));
    expect(await Promise.all(crowd)).toEqual(Array.from({ length: 12 }, () => 'done'));
  } finally {
    clock.mockRestore();
  }
});

test('where a place is free the estimate refuses nobody', async () => {
  const work = createPasswordWork({ workMs: 60_000 });
  await expect(work.run(someone({ deadlineMs: Date.now() + 5_000 }), () => Promise.resolve('done'))).resolves.toBe('done');
});

describe('before a commit', () => {
  const here = new AbortController().signal;

  it('refuses a caller who has left, or will have when the answer comes', () => {
    expect(() => refuseWhoHasLeft({ network: 'a', signal: AbortSignal.abort(), deadlineMs: undefined })).toThrow('Too many passwords');
    expect(() => refuseWhoHasLeft({ network: 'a', signal: here, deadlineMs: Date.now() })).toThrow('Too many passwords');
  });

  it('lets one go on who waits', () => {
    expect(() => refuseWhoHasLeft({ network: 'a', signal: here, deadlineMs: undefined })).not.toThrow();
    expect(() => refuseWhoHasLeft({ network: 'a', signal: here, deadlineMs: Date.now() + 60_000 })).not.toThrow();
  });
});
