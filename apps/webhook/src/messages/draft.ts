/** A message that is to be told. */
export interface MessageDraft {
  readonly tenantId: string;
  readonly eventKind: string;
  /** What happened, once for a tenant: a second message of it is not made. */
  readonly occasion: string;
  /** Empty without one. */
  readonly symbol: string;
  /** What is told, but for what the payload has; null where that is all. */
  readonly data: object | null;
  /** Null where the payload has it. */
  readonly meta: object | null;
  /** Has what other messages say alike. */
  readonly payloadId?: string;
  /** What a delivery costs. */
  readonly credits: 0 | 1;
  /** Found by those who pull messages, and sent to no endpoint. */
  readonly pullOnly?: boolean;
  /** Counted to the day of its tenant, and left out where the day has so many already. */
  readonly dayMax?: number;
  /** Sent to this endpoint alone, though it is not live. */
  readonly onlyEndpointId?: string;
  /** Sent to every other endpoint. */
  readonly exceptEndpointId?: string;
}

/** Kinds that tell of webhooks themselves: they are free. */
const OPERATIONAL: ReadonlySet<string> = new Set(['webhook.test', 'endpoint.disabled', 'message.exhausted']);

/** Credits that the delivery of a message costs once it has arrived. */
export function creditsOf(eventKind: string): 0 | 1 {
  return OPERATIONAL.has(eventKind) ? 0 : 1;
}
