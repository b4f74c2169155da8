import { Socket } from 'node:net';

/** Options of connections attempted while `work` runs; each is refused. */
export async function dialledDuring(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const dialled: unknown[] = [];
  const spy = jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...options: unknown[]) {
    dialled.push(options);
    process.nextTick(() => this.destroy(new Error('refused by the test')));
    return this;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return dialled;
}
