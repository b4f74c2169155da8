import { createSignInLimit } from './service';

const full = { code: 'RESOURCE_EXHAUSTED', reason: 'password_work_full', metadata: { retry_after_s: '2' } };
const context = { requestId: 'req_1', deadlineMs: undefined, signal: new AbortController().signal };

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

test('sixty-eight calls are inside, over all handlers, and the next is refused at once', async () => {
  const limited = createSignInLimit();
  const { open, opened } = gate();
  const everybody = () => Promise.resolve(true);
  const [one, other] = [limited(() => opened, everybody), limited(() => opened, everybody)];
  const inside = Array.from({ length: 68 }, (_, index) => (index % 2 === 0 ? one : other)({}, context));
  await expect(one({}, context)).rejects.toMatchObject(full);
  open();
  await Promise.all(inside);
  await expect(other({}, context)).resolves.toBeUndefined();
});

test('the last quarter is for known callers, who are looked up only there', async () => {
  const requested: string[] = [];
  const { open, opened } = gate();
  const limited = createSignInLimit(4);
  const enter = limited(
    (_name: string) => opened,
    async (name) => {
      requested.push(name);
      return name === 'known';
    },
  );
  const inside = ['one', 'two', 'three'].map((name) => enter(name, context));
  await expect(enter('stranger', context)).rejects.toMatchObject(full);
  const known = enter('known', context);
  await expect(enter('known', context)).rejects.toMatchObject(full);
  open();
  await Promise.all([...inside, known]);
  expect(requested).toEqual(['stranger', 'known', 'known']);
});

test('a call that fails makes room', async () => {
  const limited = createSignInLimit(1);
  await expect(limited(() => Promise.reject(new Error('no database')))({}, context)).rejects.toThrow('no database');
  await expect(limited(() => Promise.resolve('done'))({}, context)).resolves.toBe('done');
});

test('a caller whose answer is late is refused before its deadline, and keeps its room until the work is over', async () => {
  const limited = createSignInLimit(1);
  const { open, opened } = gate();
  await expect(limited(() => opened)({}, { ...context, deadlineMs: Date.now() + 600 })).rejects.toMatchObject(full);
  await expect(limited(() => opened)({}, context)).rejects.toMatchObject(full);
  open();
  await opened;
  await new Promise((resolve) => setImmediate(resolve));
  await expect(limited(() => Promise.resolve('done'))({}, context)).resolves.toBe('done');
});
