import type { ConnectionStatus, StreamOptions } from '@market-state/client';

type Reported<Message> = { readonly message: Message } | { readonly connection: ConnectionStatus } | { readonly failure: string };

interface SharedStream<Message> {
  /** Tabs with the same name share the stream. */
  readonly name: string;
  /** Called in the leading tab; the stream ends with the signal. */
  readonly open: (options: Required<Pick<StreamOptions, 'signal' | 'onConnection'>>) => AsyncIterable<Message>;
  readonly onMessage: (message: Message) => void;
  /** Called in every tab. */
  readonly onConnection: (standing: ConnectionStatus) => void;
  /** Receives the service's message if the stream can't continue. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * One stream for all tabs: the tab that holds the lock reads it and broadcasts its messages. When that tab closes, the
 * next one takes the lock and resumes from the last message it saw, so nothing is lost. Resolves when `signal` aborts
 * or the stream ends.
 */
export async function followShared<Message>(shared: SharedStream<Message>, signal: AbortSignal): Promise<void> {
  const { name, open, onMessage, onConnection, onFailure } = shared;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<Reported<Message>>) => {
    if ('message' in data) onMessage(data.message);
    else if ('connection' in data) onConnection(data.connection);
    else onFailure(new Error(data.failure));
  };
  const report = (reported: Reported<Message>): void => channel.postMessage(reported);
  try {
    await whileLeading(name, signal, async () => {
      const onStatus = (connection: ConnectionStatus): void => {
        onConnection(connection);
        report({ connection });
      };
      for await (const message of open({ signal, onConnection: onStatus })) {
        onMessage(message);
        report({ message });
      }
    });
  } catch (error) {
    if (signal.aborted) return;
    onFailure(error);
    report({ failure: error instanceof Error ? error.message : String(error) });
  } finally {
    channel.close();
  }
}

/** Locks only exist in secure contexts; elsewhere each tab opens its own stream. */
async function whileLeading(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined) return work();
  await locks.request(name, { signal }, work);
}
