import { labeling } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import type { Packet } from '@market-state/labeler';

/** Pages of whole packets have at most 1 MiB. */
const FOUND_MAX = 25;

const NO_FEEDBACK: labeling.FeedbackTotals = { useful: 0, partial: 0, missingContext: 0, noise: 0 };

/** Packets of the stand-in labeling. */
export interface StoredPackets {
  /**
   * Packets of a symbol (empty: all) known by an instant (0: all) with window ends in a span (0: unbounded), oldest
   * first.
   */
  list(wanted: {
    readonly symbol: string;
    readonly asOfMs: number;
    readonly fromWindowEndMs: number;
    readonly toWindowEndMs: number;
  }): labeling.PacketRecord[];
}

function toEvent(record: labeling.PacketRecord): labeling.EventRecord {
  const body = JSON.parse(record.body.toString('utf8')) as Packet;
  const { symbol, windowEndMs, sequence, eventId, sourceKind } = record;
  return {
    symbol,
    windowEndMs,
    sequence,
    eventId,
    sourceKind,
    knownTsMs: record.knownTsMs,
    state: body.state,
    winnerState: body.state,
    eventClass: body.event_class,
    eventProfile: body.event_profile,
    severityClass: 'routine_context',
    severityScore: 0.25,
    transitionType: 'state_reaffirmed',
    diagnosisClass: 'competing_state_read',
    confidenceScore: 0.5,
    confidenceLabel: 'medium',
    contradictionScore: 0,
    noveltyScore: 0,
    qualityScore: 80,
    gapFlags: [],
    stateAgePackets: 1,
    tags: [...body.tags],
    nearThreshold: false,
    midPrice: body.reference_prices.mid_price ?? undefined,
    stateLabel: body.state_label,
    runnerUpState: body.state_diagnosis.runner_up_state,
    stateMargin: body.state_diagnosis.state_margin,
  };
}

function pageOf<T>(
  items: readonly T[],
  { pageSize, pageToken }: { readonly pageSize: number; readonly pageToken: string },
): { readonly page: T[]; readonly nextPageToken: string } {
  const from = pageToken === '' ? 0 : Number(JSON.parse(Buffer.from(pageToken, 'base64url').toString('utf8'))[1]);
  const to = from + pageSize;
  return {
    page: items.slice(from, to),
    nextPageToken: to < items.length ? Buffer.from(JSON.stringify(['e1', to])).toString('base64url') : '',
  };
}

/** Verifications in progress, which wait for `release` if it is set. */
export interface Verifications {
  running: number;
  release: Promise<void> | undefined;
}

/**
 * Calls about one or many events. Only symbol, span and instant are implemented; other conditions belong to the real
 * service.
 */
export function standInEvents(verifications: Verifications, held: StoredPackets) {
  function require(eventId: string, asOfMs: number): labeling.PacketRecord {
    const record = held
      .list({ symbol: '', asOfMs, fromWindowEndMs: 0, toWindowEndMs: 0 })
      .find((candidate) => candidate.eventId === eventId);
    if (record === undefined) throw notFound('unknown_packet', 'There is no such packet.');
    return record;
  }
  const judged = new Map<string, labeling.FeedbackLabel>();

  return {
    async searchEvents(request: labeling.SearchEventsRequest): Promise<labeling.SearchEventsResponse> {
      const { page, nextPageToken } = pageOf(request.ascending ? held.list(request) : held.list(request).reverse(), {
        ...request,
        pageSize: Math.min(request.pageSize, FOUND_MAX),
      });
      const words = request.words.map((word) => ({ word, inState: true, tags: [], reasons: [] }));
      return { events: page.map((packet) => ({ packet, words })), nextPageToken };
    },
    async listHistory(request: labeling.ListHistoryRequest): Promise<labeling.ListHistoryResponse> {
      const { page, nextPageToken } = pageOf(held.list(request), request);
      return { events: page.map(toEvent), nextPageToken };
    },
    async getStability(request: labeling.GetStabilityRequest): Promise<labeling.GetStabilityResponse> {
      return { packetTotal: held.list(request).length, pairTotal: 0, states: [], validity: VALIDITY };
    },
    async recordFeedback({ tenantId, eventId, label }: labeling.RecordFeedbackRequest): Promise<labeling.RecordFeedbackResponse> {
      const { symbol, windowEndMs, state, eventClass } = toEvent(require(eventId, 0));
      const place = `${tenantId} ${eventId}`;
      const replaced = judged.has(place);
      judged.set(place, label);
      const useful = [...judged].filter(([key, value]) => key.endsWith(eventId) && value === labeling.FeedbackLabel.USEFUL).length;
      const totals = { ...NO_FEEDBACK, useful };
      return {
        symbol,
        windowEndMs,
        state,
        eventClass,
        recordedTsMs: Date.now(),
        replaced,
        onEvent: totals,
        onState: totals,
        onEventClass: totals,
      };
    },
    async verifyEvent({ eventId, asOfMs }: labeling.VerifyEventRequest): Promise<labeling.VerifyEventResponse> {
      const packet = require(eventId, asOfMs);
      verifications.running += 1;
      await verifications.release;
      verifications.running -= 1;
      return {
        outcome: labeling.VerifyEventResponse_Outcome.MATCH,
        reason: '',
        packet,
        retainedDigest: packet.packetDigest,
        rederivedDigest: packet.packetDigest,
        rederivedLineageDigest: packet.lineageDigest,
        policyDigest: packet.policyDigest,
        entryTotal: 1_000,
        checkpoint: undefined,
        signature: labeling.VerifyEventResponse_Signature.VALID,
        differentFields: [],
        differentPlaces: [],
        differentPlaceTotal: 0,
        contradictingOrdinals: [],
      };
    },
  };
}

const estimate = (value: number): labeling.Estimate => ({ value, low: value - 0.1, high: value + 0.1 });
const alarm: labeling.Alarm = { packetTotal: 26, severity: 0.5, lastMinute: 0.4, lastFiveMinutes: 0.45, blend: 0.45 };

const VALIDITY: labeling.LabelValidity = {
  packetTotal: 240,
  severity: {
    packetTotal: 200,
    halfHourTotal: 2,
    correlations: { severity: estimate(0.5), lastMinute: estimate(0.4), lastFiveMinutes: estimate(0.45), blend: estimate(0.46) },
    partialGivenTrailing: { value: 0.2 },
    alarmOfClasses: undefined,
    alarmOfShare: alarm,
  },
  states: [
    {
      state: 'regime_transition_candidate',
      outcome: 'volatility_of_900s_over_3600s',
      claimsHigher: true,
      packetTotal: 12,
      verdict: 'fewer_than_30_packets',
    },
  ],
};
