/** Kinds of message that an endpoint can be sent, in the order in which they are shown. */
export const EVENT_KINDS = [
  'packet.created',
  'state.changed',
  'alert.triggered',
  'export.finished',
  'usage.threshold_reached',
  'endpoint.disabled',
  'message.exhausted',
  'webhook.test',
] as const;

/** Kinds that are about one symbol. */
export const SYMBOL_KINDS: ReadonlySet<string> = new Set(['packet.created', 'state.changed', 'alert.triggered']);

/** A new endpoint gets tests alone; one that is disabled gets nothing. */
export type EndpointStatus = 'test_pending' | 'live' | 'disabled';

/** Why an endpoint is disabled. One whose URL was changed needs a test, and no more. */
export type DisabledReason = 'owner' | 'gone_410' | 'failing_120h' | 'url_changed';

/** Where messages of a tenant are sent. Times are milliseconds since the epoch. */
export interface Endpoint {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly planId: string;
  readonly url: string;
  readonly description: string;
  readonly eventKinds: readonly string[];
  /** Empty: all. */
  readonly symbols: readonly string[];
  readonly status: EndpointStatus;
  readonly disabledReason: DisabledReason | '';
  /** Rises with every change of the URL. */
  readonly urlRevision: number;
  readonly lastSuccessMs: number | null;
  readonly failingSinceMs: number | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}
