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

export interface SdkHost {
  readonly name: 'Node' | 'Chromium';
  /**
   * True if the runtime itself retries a request, unseen by the SDK, when a reused connection breaks without an answer.
   */
  readonly sendsAgain: boolean;
  makeCalls(order: CallOrder, say: (line: string) => void): Promise<CallOutcome[]>;
  readStreams(access: Access, areCutsOver: () => boolean): Promise<StreamsRead>;
  judgeWebhooks(messages: readonly WebhookMessage[]): Promise<boolean[]>;
  uncaught(): readonly string[];
}

export function openNodeHost(closer: Closer): SdkHost {
  const uncaught: string[] = [];
  const note = (reason: unknown): void => void uncaught.push(String(reason));
  process.on('unhandledRejection', note);
  closer.add('unhandled rejections', () => void process.off('unhandledRejection', note));
  return { name: 'Node', sendsAgain: false, makeCalls, readStreams, judgeWebhooks, uncaught: () => uncaught };
}
