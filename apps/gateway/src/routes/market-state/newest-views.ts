import type { Packet } from '@market-state/labeler';
import { buyerSummary, compositeView, derivedRead } from '@market-state/packet-views';
import type { LatestSource } from '../../caches/latest/latest-source';
import type { ServedPacket } from '../../clients/packet-client';
import { readNewestPacket } from '../../clients/packets/read-packet';
import type { Upstreams } from '../../clients/upstreams';
import type { Call, CallContext, Handler } from '../../serving/answers/handler';
import { packetAnswer } from '../../serving/answers/packet-answer';
import { authStateOf } from '../../serving/auth/credentials';
import { type FixedRepresentation, jsonRepresentation, lazyJson } from '../../serving/http/representation';
import { parseInstant, definitions } from '../../serving/meta/meta';
import { eventLinks } from './event-links';

function newestAnswer<Fields extends object>(
  call: Pick<CallContext, 'operation' | 'grant'>,
  held: ServedPacket,
  { fields, asOfMs, nowMs }: { readonly fields: (packet: Packet) => Fields; readonly asOfMs: number; readonly nowMs: number },
) {
  const { packet } = held;
  const subject = { held, isEvent: false, asOfMs, speaksToMs: held.windowEndMs, nowMs };
  return packetAnswer(call, subject, { ...fields(packet), ...derivedRead(packet, definitions), links: eventLinks(packet) });
}

type NewestAnswer<Fields extends object> = ReturnType<typeof newestAnswer<Fields>>;

/** Cached as long as the packet. */
export type NewestViews = <Fields extends object>(
  call: Pick<CallContext, 'operation' | 'grant'>,
  held: ServedPacket,
  fields: (packet: Packet) => Fields,
) => FixedRepresentation<NewestAnswer<Fields>>;

/** Caches by packet, operation and credential kind, the only inputs. Excludes sandbox keys and stale packets. */
export function createNewestViews(now: () => number): NewestViews {
  const kept = new WeakMap<ServedPacket, Map<string, FixedRepresentation>>();
  return <Fields extends object>(
    call: Pick<CallContext, 'operation' | 'grant'>,
    held: ServedPacket,
    fields: (packet: Packet) => Fields,
  ): FixedRepresentation<NewestAnswer<Fields>> => {
    const ofPacket = kept.get(held) ?? new Map<string, FixedRepresentation>();
    kept.set(held, ofPacket);
    const name = `${call.operation.operationId} ${authStateOf(call.grant)}`;
    const made = ofPacket.get(name) ?? lazyJson(newestAnswer(call, held, { fields, asOfMs: 0, nowMs: now() }));
    ofPacket.set(name, made);
    return made as FixedRepresentation<NewestAnswer<Fields>>;
  };
}

export interface NewestPacketDeps {
  readonly upstreams: Upstreams;
  readonly latest: Pick<LatestSource, 'newest'>;
  readonly views: NewestViews;
  readonly now: () => number;
}

/** Now or at `as_of`; `fields` provides the route's own fields. */
function readOfNewest<Fields extends object>({ upstreams, latest, views, now }: NewestPacketDeps, fields: (packet: Packet) => Fields) {
  return async ({ operation, grant, input }: Call<'getForcedFlowLatest'>) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const held = await readNewestPacket(upstreams, latest, input.query.symbol, asOfMs);
    const nowMs = now();
    const isKept = asOfMs === 0 && grant?.sandbox === false && nowMs < held.freshUntilMs;
    if (isKept) return views({ operation, grant }, held, fields);
    return jsonRepresentation(newestAnswer({ operation, grant }, held, { fields, asOfMs, nowMs }));
  };
}

export const buyerSummaryFields = (packet: Packet) => buyerSummary(packet, definitions);

export function getBuyerSummary(deps: NewestPacketDeps): Handler<'getBuyerSummary'> {
  return readOfNewest(deps, buyerSummaryFields);
}

export const crowdingRegimeFields = (packet: Packet) => ({
  crowding: compositeView(packet, 'crowding', definitions),
  regime: compositeView(packet, 'regime', definitions),
});

export function getCrowdingRegimeLatest(deps: NewestPacketDeps): Handler<'getCrowdingRegimeLatest'> {
  return readOfNewest(deps, crowdingRegimeFields);
}

export const forcedFlowFields = (packet: Packet) => ({ forced_flow: compositeView(packet, 'forced_flow', definitions) });

export function getForcedFlowLatest(deps: NewestPacketDeps): Handler<'getForcedFlowLatest'> {
  return readOfNewest(deps, forcedFlowFields);
}

export const queueFragilityFields = (packet: Packet) => ({ queue_fragility: compositeView(packet, 'fragility', definitions) });

export function getQueueFragilityLatest(deps: NewestPacketDeps): Handler<'getQueueFragilityLatest'> {
  return readOfNewest(deps, queueFragilityFields);
}
