import type { labeling } from '@market-state/contracts';
import { eventIdFaults, idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import type { PacketReader } from '../packets/packet-reader';
import { createShare as create, type CreateShareDeps } from '../shares/create-share';
import { DAYS_MAX, standingOf } from '../shares/share';
import { requirePacket } from './require-packet';
import { toProtoShare } from './wire';

export interface CreateShareRpcDeps extends CreateShareDeps {
  readonly reader: Pick<PacketReader, 'find'>;
}

export async function createShare(deps: CreateShareRpcDeps, request: labeling.CreateShareRequest): Promise<labeling.CreateShareResponse> {
  const { tenantId, planId, operationId, eventId, days } = request;
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('plan_id', planId),
    idFaults('operation_id', operationId),
    eventIdFaults(eventId),
    rangeFaults('days', days, 1, DAYS_MAX),
  );
  const packet = await requirePacket(deps.reader, { eventId, asOfMs: 0 });
  const share = await create(deps, { tenantId, planId, operationId, packet, days });
  return { share: toProtoShare(share, standingOf(share, deps.clock(), deps.sharesLive)) };
}
