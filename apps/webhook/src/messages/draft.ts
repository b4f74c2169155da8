export interface MessageDraft {
  readonly tenantId: string;
  readonly eventKind: string;
  /** Identifies the event; a tenant gets one message per occasion. */
  readonly occasion: string;
  readonly symbol: string;
  /** Fields of `data` in addition to the payload's; null if there are none. */
  readonly data: object | null;
  readonly meta: object | null;
  readonly payloadId?: string;
  readonly credits: 0 | 1;
  /** Available by polling, never delivered to endpoints. */
  readonly pullOnly?: boolean;
  /** Daily quota of the tenant; the draft is dropped once it is used up. */
  readonly dayMax?: number;
  /** Delivered only to this endpoint, even if it is not live. */
  readonly onlyEndpointId?: string;
  readonly exceptEndpointId?: string;
}

/** Free kinds, about webhooks themselves. */
const OPERATIONAL: ReadonlySet<string> = new Set(['webhook.test', 'endpoint.disabled', 'message.exhausted']);

/** Charged once the message is delivered. */
export function creditsOf(eventKind: string): 0 | 1 {
  return OPERATIONAL.has(eventKind) ? 0 : 1;
}
