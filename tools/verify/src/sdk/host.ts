import type { Closer } from '@market-state/lifecycle';
import {
  judgeWebhooks,
  type WebhookMessage,
  type CallOrder,
  type CallOutcome,
  makeCalls,
  type Access,
  readStreams,
  type StreamsRead,
} from './calls';

/** Where the SDK runs. */
export interface SdkHost {
  readonly name: 'Node' | 'Chromium';
  /** Whether it sends a request again of itself, unseen by the SDK, when a connection that was in use before breaks without an answer. */
  readonly sendsAgain: boolean;
  makeCalls(order: CallOrder, say: (line: string) => void): Promise<CallOutcome[]>;
  readStreams(access: Access, areCutsOver: () => boolean): Promise<StreamsRead>;
  judgeWebhooks(messages: readonly WebhookMessage[]): Promise<boolean[]>;
  /** What nobody caught so far, each as a text. */
  uncaught(): readonly string[];
}

/** The SDK in this process. */
export function openNodeHost(closer: Closer): SdkHost {
  const uncaught: string[] = [];
  const note = (reason: unknown): void => void uncaught.push(String(reason));
  process.on('unhandledRejection', note);
  closer.add('unhandled rejections', () => void process.off('unhandledRejection', note));
  return { name: 'Node', sendsAgain: false, makeCalls, readStreams, judgeWebhooks, uncaught: () => uncaught };
}
