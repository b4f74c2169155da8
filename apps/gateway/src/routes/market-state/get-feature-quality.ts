import type { marketData } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { featureQuality } from '@market-state/packet-views';
import { readNewestPacket } from '../../clients/packets/read-packet';
import type { ServedPacket } from '../../clients/served-packet';
import type { AnswerContext } from '../../serving/answers/data-answer';
import { packetAnswer } from '../../serving/answers/packet-answer';
import type { Handler } from '../../serving/answers/handler';
import { jsonRepresentation } from '../../serving/http/representation';
import { definitions } from '../../serving/meta/definitions';
import { parseInstant } from '../../serving/meta/instant';
import { channelOf, readChannels, rejectionsView } from './views/channel-quality';
import { eventLinks } from './views/event-links';
import type { LateEvents, QualityFacts } from './views/quality-facts';
import type { NewestPacketDeps } from './views/read-of-newest';

export interface FeatureQualityDeps extends NewestPacketDeps {
  readonly quality: QualityFacts;
}

/** What the feed rejected; null, with a word on why, where it cannot be told. */
async function toldRejections(quality: QualityFacts, symbol: string, ofNow: boolean) {
  if (!ofNow) return { rejected_messages: null, rejected_messages_note: 'Counts are of now and are not kept for earlier instants.' };
  try {
    return rejectionFields(await quality.rejections(symbol));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { rejected_messages: null, rejected_messages_note: 'The feed does not answer.' };
  }
}

export function rejectionFields(rejections: marketData.GetRejectionsResponse) {
  return { rejected_messages: rejectionsView(rejections), rejected_messages_note: null };
}

/** What the answer about a packet's quality is made of. */
interface QualityRead {
  readonly held: ServedPacket;
  readonly asOfMs: number;
  readonly nowMs: number;
  readonly channels: marketData.GetFreshnessResponse;
  readonly rejections: Awaited<ReturnType<typeof toldRejections>>;
  readonly lateEvents: LateEvents;
}

export function qualityAnswer(call: AnswerContext, { held, asOfMs, nowMs, channels, rejections, lateEvents }: QualityRead) {
  const { source_families, ...quality } = featureQuality(held.packet, definitions);
  return packetAnswer(
    call,
    { held, isEvent: false, asOfMs, speaksToMs: held.windowEndMs, nowMs },
    {
      ...quality,
      source_families: source_families.map((family) => ({ ...family, channel: channelOf(channels, family.source_family) })),
      ...rejections,
      late_events: lateEvents,
      links: eventLinks(held.packet),
    },
  );
}

export function getFeatureQuality({ upstreams, latest, quality, now }: FeatureQualityDeps): Handler<'getFeatureQuality'> {
  return async ({ operation, grant, input }) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const held = await readNewestPacket(upstreams, latest, input.query.symbol, asOfMs);
    const [channels, rejections, lateEvents] = await Promise.all([
      readChannels(upstreams.marketData, held.symbol, asOfMs),
      toldRejections(quality, held.symbol, asOfMs === 0 && grant?.sandbox !== true),
      quality.lateEvents(held, asOfMs),
    ]);
    return jsonRepresentation(qualityAnswer({ operation, grant }, { held, asOfMs, nowMs: now(), channels, rejections, lateEvents }));
  };
}
