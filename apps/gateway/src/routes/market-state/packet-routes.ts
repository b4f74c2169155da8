import { derivedReads, type NewestPacketDeps } from './derived-reads';
import { getEventEvidence } from './get-event-evidence';
import { getFeatureQuality } from './get-feature-quality';
import { getPacketWorkbench } from './get-packet-workbench';
import { getPostmortem } from './get-postmortem';
import type { Handler } from '../../serving/handlers/handler';

/** The handlers of views of one packet and its neighbours, by operation id. */
export function packetRoutes(deps: NewestPacketDeps): Readonly<Record<string, Handler>> {
  const { upstreams, now } = deps;
  return {
    getEventEvidence: getEventEvidence(upstreams, now),
    getPacketWorkbench: getPacketWorkbench(upstreams, now),
    getPostmortem: getPostmortem(upstreams, now),
    ...derivedReads(deps),
    getFeatureQuality: getFeatureQuality(deps),
  };
}
