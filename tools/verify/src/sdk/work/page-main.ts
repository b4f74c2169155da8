import { judgeWebhooks } from './judge-webhooks';
import { makeCalls } from './make-calls';
import { readStreams } from './read-streams';

/** What a page offers to whoever drives its browser. */
export interface SdkPage {
  readonly sdk: {
    readonly makeCalls: typeof makeCalls;
    readonly readStreams: typeof readStreams;
    readonly judgeWebhooks: typeof judgeWebhooks;
  };
}

(globalThis as unknown as { sdk: SdkPage['sdk'] }).sdk = { makeCalls, readStreams, judgeWebhooks };
