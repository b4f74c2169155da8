import type { Schemas } from '../types';

/** What a message can be, by its `type`. A later service may send further types: answer those with 204 as well. */
export type WebhookEvent =
  | Schemas['PacketCreatedMessage']
  | Schemas['StateChangedMessage']
  | Schemas['AlertTriggeredMessage']
  | Schemas['ExportFinishedMessage']
  | Schemas['UsageThresholdReachedMessage']
  | Schemas['EndpointDisabledMessage']
  | Schemas['MessageExhaustedMessage']
  | Schemas['WebhookTestMessage'];
