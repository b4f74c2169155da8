import { VerificationError, verifyWebhook } from '@market-state/client/webhooks';

/** A webhook message as a receiver has it, and the secret that the receiver was given. */
export interface WebhookMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** Whether each message is genuine. */
export function judgeWebhooks(messages: readonly WebhookMessage[]): Promise<boolean[]> {
  return Promise.all(messages.map(isGenuine));
}

async function isGenuine({ body, headers, secret }: WebhookMessage): Promise<boolean> {
  try {
    await verifyWebhook(body, headers, [secret]);
    return true;
  } catch (error) {
    if (error instanceof VerificationError) return false;
    throw error;
  }
}
