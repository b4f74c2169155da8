import { createPasswordWork } from './password-work';

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

test('four at once, sixty-four waiting, and the next is refused with the time to come again', async () => {
  const work = createPasswordWork();
  const { open, opened } = gate();
  let begun = 0;
  const all = Array.from({ length: 68 }, () =>
    work.run(async () => {
      begun += 1;
      await opened;
    }),
  );
  await expect(work.run(() => Promise.resolve())).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'password_work_full', metadata: { retry_after_s: '1' } });
  expect(begun).toBe(4);
  open();
  await Promise.all(all);
  expect(begun).toBe(68);
});

test('work that fails leaves its place to the next', async () => {
  const work = createPasswordWork({ atOnceMax: 1, waitingMax: 1 });
  const failing = work.run(() => Promise.reject(new Error('no memory')));
  const next = work.run(() => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('no memory');
  await expect(next).resolves.toBe('done');
  await expect(work.run(() => Promise.resolve('again'))).resolves.toBe('again');
});
