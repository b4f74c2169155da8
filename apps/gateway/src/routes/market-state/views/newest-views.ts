import type { Packet } from '@market-state/labeler';
import { derivedRead } from '@market-state/packet-views';
import type { ServedPacket } from '../../../clients/served-packet';
import { packetAnswer } from '../../../serving/answers/packet-answer';
import { authStateOf } from '../../../serving/auth/grant';
import type { CallContext } from '../../../serving/answers/handler';
import { type FixedRepresentation, lazyJson } from '../../../serving/http/representation';
import { definitions } from '../../../serving/meta/definitions';
import { eventLinks } from './event-links';

/** What every read of the newest packet says around the fields that it is about. */
export function newestAnswer<Fields extends object>(
  call: Pick<CallContext, 'operation' | 'grant'>,
  held: ServedPacket,
  { fields, asOfMs, nowMs }: { readonly fields: (packet: Packet) => Fields; readonly asOfMs: number; readonly nowMs: number },
) {
  const { packet } = held;
  const subject = { held, isEvent: false, asOfMs, speaksToMs: held.windowEndMs, nowMs };
  return packetAnswer(call, subject, { ...fields(packet), ...derivedRead(packet, definitions), links: eventLinks(packet) });
}

type NewestAnswer<Fields extends object> = ReturnType<typeof newestAnswer<Fields>>;

/** The answer of an operation about a fresh packet: made when it is first asked for, and kept as long as the packet is held. */
export type NewestViews = <Fields extends object>(
  call: Pick<CallContext, 'operation' | 'grant'>,
  held: ServedPacket,
  fields: (packet: Packet) => Fields,
) => FixedRepresentation<NewestAnswer<Fields>>;

/** Answers by packet, operation and kind of credential: nothing else of a call is in them. None is for a sandbox key or a stale packet. */
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
