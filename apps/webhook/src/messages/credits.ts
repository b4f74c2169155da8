/** Kinds that tell of webhooks themselves: they are free. */
const OPERATIONAL: ReadonlySet<string> = new Set(['webhook.test', 'endpoint.disabled', 'message.exhausted']);

/** Credits that the delivery of a message costs once it has arrived. */
export function creditsOf(eventKind: string): 0 | 1 {
  return OPERATIONAL.has(eventKind) ? 0 : 1;
}
