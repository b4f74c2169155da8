import type { Packet } from '@market-state/labeler';
import type { LatestSource } from '../../../boards/latest-source';
import { readNewestPacket } from '../../../clients/packets/read-packet';
import type { Upstreams } from '../../../clients/upstreams';
import type { Call } from '../../../serving/answers/handler';
import { jsonRepresentation } from '../../../serving/http/representation';
import { parseInstant } from '../../../serving/meta/instant';
import { newestAnswer, type NewestViews } from './newest-views';

/** What reads of the newest packet are made with. */
export interface NewestPacketDeps {
  readonly upstreams: Upstreams;
  readonly latest: Pick<LatestSource, 'newest'>;
  readonly views: NewestViews;
  /** Clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** A read of the newest packet of a symbol, or of that at `as_of`. `fields` gives what the route is about. */
export function readOfNewest<Fields extends object>(
  { upstreams, latest, views, now }: NewestPacketDeps,
  fields: (packet: Packet) => Fields,
) {
  return async ({ operation, grant, input }: Call<'getForcedFlowLatest'>) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const held = await readNewestPacket(upstreams, latest, input.query.symbol, asOfMs);
    const nowMs = now();
    const isKept = asOfMs === 0 && grant?.sandbox === false && nowMs < held.freshUntilMs;
    if (isKept) return views({ operation, grant }, held, fields);
    return jsonRepresentation(newestAnswer({ operation, grant }, held, { fields, asOfMs, nowMs }));
  };
}
