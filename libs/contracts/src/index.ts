/** The contracts between services, generated from `proto/`. One namespace for each proto package. */
export * as marketData from './generated/index.marketstate.marketdata.v1';
export * as feed from './generated/index.marketstate.feed.v1';
export * as labeling from './generated/index.marketstate.labeling.v1';
export * as account from './generated/index.marketstate.account.v1';
export * as exports from './generated/index.marketstate.export.v1';
export * as webhook from './generated/index.marketstate.webhook.v1';
export * as status from './generated/index.marketstate.status.v1';
export * as mcp from './generated/index.marketstate.mcp.v1';
export * as health from './generated/index.grpc.health.v1';
import { CALLERS, IDEMPOTENT } from './generated/callers';

export { CALLERS, IDEMPOTENT, SERVICES, type ServiceName } from './generated/callers';

/** Rules of all methods: which services may call each, and which may be sent twice. */
export const METHOD_RULES = { callers: CALLERS, idempotent: IDEMPOTENT } as const;

/** A message with these fields; every other field has its protobuf default. */
export function createMessage<T extends object>(type: { decode(bytes: Uint8Array): T }, fields: Partial<T> = {}): T {
  return { ...type.decode(new Uint8Array()), ...fields };
}
