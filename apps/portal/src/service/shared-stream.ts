import type { ConnectionStanding, StreamOptions } from '@market-state/client';

/** What one tab tells the others. */
type Told<Message> = { readonly message: Message } | { readonly connection: ConnectionStanding } | { readonly failure: string };

export interface SharedStream<Message> {
  /** Names the stream: tabs that give the same name share it. */
  readonly name: string;
  /** Opens the stream in the tab that leads, with these options: it ends with the signal. */
  readonly open: (options: Required<Pick<StreamOptions, 'signal' | 'onConnection'>>) => AsyncIterable<Message>;
  readonly onMessage: (message: Message) => void;
  /** Told how the connection stands, in whichever tab it is. */
  readonly onConnection: (standing: ConnectionStanding) => void;
  /** Told that the stream cannot go on, in the service's words. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * One stream for any number of tabs: whichever tab has the lock reads it and tells the others. When that tab closes, the next has the lock
 * and goes on from the last message that it saw itself, so that nothing is lost. Resolves when `signal` aborts or the stream ends.
 */
export async function followShared<Message>(shared: SharedStream<Message>, signal: AbortSignal): Promise<void> {
  const { name, open, onMessage, onConnection, onFailure } = shared;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<Told<Message>>) => {
    if ('message' in data) onMessage(data.message);
    else if ('connection' in data) onConnection(data.connection);
    else onFailure(new Error(data.failure));
  };
  const tell = (told: Told<Message>): void => channel.postMessage(told);
  try {
    await whileLeading(name, signal, async () => {
      const told = (connection: ConnectionStanding): void => {
        onConnection(connection);
        tell({ connection });
      };
      for await (const message of open({ signal, onConnection: told })) {
        onMessage(message);
        tell({ message });
      }
    });
  } catch (error) {
    if (signal.aborted) return;
    onFailure(error);
    tell({ failure: error instanceof Error ? error.message : String(error) });
  } finally {
    channel.close();
  }
}

/** Browsers have locks in secure contexts alone; elsewhere each tab reads for itself. */
async function whileLeading(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined) return work();
  await locks.request(name, { signal }, work);
}
