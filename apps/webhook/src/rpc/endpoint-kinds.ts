import { webhook } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { EndpointKind } from '../endpoints/destination';

const { EndpointKind: Proto } = webhook;

export const PROTO_KINDS: Readonly<Record<EndpointKind, webhook.EndpointKind>> = {
  webhook: Proto.WEBHOOK,
  slack: Proto.SLACK,
  discord: Proto.DISCORD,
  telegram: Proto.TELEGRAM,
  pagerduty: Proto.PAGERDUTY,
  email: Proto.EMAIL,
};

/** Requests of the previous release have no kind: they mean a webhook. */
export function fromProtoKind(kind: webhook.EndpointKind): EndpointKind {
  if (kind === Proto.UNSPECIFIED) return 'webhook';
  for (const [name, value] of Object.entries(PROTO_KINDS)) if (value === kind) return name as EndpointKind;
  throw invalidArgument([{ field: 'kind', message: 'must be a kind of endpoint', type: 'unsupported' }]);
}
