/** The contracts between services, generated from `proto/`. One namespace for each proto package. */
export * as marketData from './marketdata';
export * as feed from './feed';
export * as labeling from './labeling';
export * as account from './account';
export * as exports from './exports';
export * as webhook from './webhook';
export * as status from './generated/marketstate/status/v1/incident';
export * as mcp from './generated/marketstate/mcp/v1/mcp_service';
export * as health from './generated/grpc/health/v1/health';
import { CALLERS, IDEMPOTENT } from './generated/callers';

export { CALLERS, IDEMPOTENT, SERVICES, type ServiceName } from './generated/callers';

/** Rules of all methods: which services may call each, and which may be sent twice. */
export const METHOD_RULES = { callers: CALLERS, idempotent: IDEMPOTENT } as const;
export { createMessage } from './create-message';
