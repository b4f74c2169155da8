import { judgeWebhooks, makeCalls, readStreams } from './calls';

export interface SdkPage {
  readonly sdk: {
    readonly makeCalls: typeof makeCalls;
    readonly readStreams: typeof readStreams;
    readonly judgeWebhooks: typeof judgeWebhooks;
  };
}

(globalThis as unknown as { sdk: SdkPage['sdk'] }).sdk = { makeCalls, readStreams, judgeWebhooks };
