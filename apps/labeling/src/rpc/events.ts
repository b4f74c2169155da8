import type { labeling } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import { cutPage } from '@market-state/page-token';
import { instantFaults, symbolFaults, refuseFaults } from '@market-state/request-checks';
import type { Estimate, SeverityValidity, StateLift } from '@market-state/report';
import type { EventFilter, EventIndex, ReadValidity, MeasuredValidity } from '../events/event-index';
import { givenOrNull, spanFaults, assertServed, pageFaults, pageSizeOf } from './span-request';
import { toProtoArchive, toProtoFeedback, toProtoEvent, toProtoPacket } from './wire';
import { fromEventToken, toEventToken, searchEvents as search, type SearchDeps } from '../events/search-events';

const WINDOW_MS_MAX = 31 * 86_400_000;

const WORDS_MAX = 32;

const TAGS_MAX = 16;

const WORD = /^(?=.*\p{L})[\p{L}\p{N}]{1,64}$/u;

const TERM = /^[a-z0-9_]{0,96}$/;

const TAG = /^[a-z0-9_]{1,64}(:[a-z0-9_]{1,64}){1,2}$/;

interface EventConditions {
  readonly symbol: string;
  readonly fromWindowEndMs: number;
  readonly toWindowEndMs: number;
  readonly asOfMs: number;
  readonly words?: readonly string[];
  readonly tags?: readonly string[];
  readonly state?: string;
  readonly eventClass?: string;
  readonly eventProfile?: string;
  readonly severityClass?: string;
}

function readEventConditions(request: EventConditions): { readonly filter: EventFilter; readonly faults: readonly Fault[] } {
  const { symbol, words = [], tags = [], state = '', eventClass = '', eventProfile = '', severityClass = '' } = request;
  const values = { state, event_class: eventClass, event_profile: eventProfile, severity_class: severityClass };
  const filter: EventFilter = {
    symbol: symbol === '' ? null : symbol,
    fromMs: givenOrNull(request.fromWindowEndMs),
    toMs: givenOrNull(request.toWindowEndMs),
    asOfMs: givenOrNull(request.asOfMs),
    words: [...new Set(words.map((word) => word.toLowerCase()))],
    tags: [...new Set(tags)],
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
  };
  const faults = [
    ...(symbol === '' ? [] : symbolFaults(symbol)),
    ...spanFaults(request),
    ...instantFaults('as_of_ms', request.asOfMs),
    ...listFaults('words', words, WORDS_MAX, WORD, 'must be letters, or letters and digits, at most 64'),
    ...listFaults('tags', tags, TAGS_MAX, TAG, 'must be a tag such as pressure:ask_elevated:short'),
    ...Object.entries(values).flatMap(([field, value]) =>
      TERM.test(value) ? [] : [{ field, message: 'must be lower-case letters, digits and underscores, at most 96', type: 'malformed' }],
    ),
  ];
  return { filter, faults };
}

function listFaults(field: string, items: readonly string[], itemsMax: number, pattern: RegExp, message: string): Fault[] {
  const faults = items.flatMap((item, index) => (pattern.test(item) ? [] : [{ field: `${field}[${index}]`, message, type: 'malformed' }]));
  return items.length > itemsMax ? [{ field, message: `must be at most ${itemsMax}`, type: 'out_of_range' }, ...faults] : faults;
}

interface SearchEventsDeps extends SearchDeps {
  readonly symbols: readonly string[];
}

export async function searchEvents(
  { symbols, ...deps }: SearchEventsDeps,
  request: labeling.SearchEventsRequest,
): Promise<labeling.SearchEventsResponse> {
  const { filter, faults } = readEventConditions(request);
  const beyond = request.pageToken === '' ? null : fromEventToken(filter, request.pageToken);
  const all = [...faults, ...pageFaults(request, beyond)];
  if (all.length > 0 || beyond === undefined) throw invalidArgument(all);
  if (filter.symbol !== null) assertServed([filter.symbol], symbols);
  const order = request.ascending ? 'oldest_first' : 'newest_first';
  const { events, nextPageToken } = await search(deps, filter, order, beyond, pageSizeOf(request));
  return {
    events: events.map(({ packet, words }) => ({
      packet: toProtoPacket(packet),
      words: words.map(({ word, inState, tags, reasons }) => ({ word, inState, tags: [...tags], reasons: [...reasons] })),
    })),
    nextPageToken,
  };
}

interface ListHistoryDeps {
  readonly events: Pick<EventIndex, 'list'>;
  readonly symbols: readonly string[];
}

export async function listHistory(
  { events, symbols }: ListHistoryDeps,
  request: labeling.ListHistoryRequest,
): Promise<labeling.ListHistoryResponse> {
  const { filter, faults } = readEventConditions(request);
  const beyond = request.pageToken === '' ? null : fromEventToken(filter, request.pageToken);
  const all = [...(request.symbol === '' ? symbolFaults('') : []), ...faults, ...pageFaults(request, beyond)];
  if (all.length > 0 || beyond === undefined) throw invalidArgument(all);
  assertServed([request.symbol], symbols);
  const pageSize = pageSizeOf(request);
  const found = await events.list(filter, 'oldest_first', beyond, pageSize + 1);
  const { page, nextPageToken } = cutPage(found, pageSize, (last) => toEventToken(filter, last));
  return { events: page.map(toProtoEvent), nextPageToken };
}

interface GetStabilityDeps {
  readonly events: Pick<EventIndex, 'stability'>;
  readonly validity: ReadValidity;
  readonly symbols: readonly string[];
}

function toProtoValidity({ packetTotal, severity, severityWithHar, states }: MeasuredValidity): labeling.LabelValidity {
  return {
    packetTotal,
    severity: toProtoSeverity(severity),
    severityWithHar: toProtoSeverity(severityWithHar),
    states: states.map(toProtoLift),
  };
}

function toProtoSeverity(severity: SeverityValidity | null): labeling.SeverityValidity | undefined {
  if (severity === null) return undefined;
  const { correlations, alarmOfClasses, alarmOfShare } = severity;
  return {
    packetTotal: severity.packets,
    halfHourTotal: severity.halfHours,
    correlations: {
      severity: toProtoEstimate(correlations.severity),
      lastMinute: toProtoEstimate(correlations.lastMinute),
      lastFiveMinutes: toProtoEstimate(correlations.lastFiveMinutes),
      blend: toProtoEstimate(correlations.blend),
      har: toProtoEstimate(correlations.har),
    },
    partialGivenTrailing: toProtoEstimate(severity.partialGivenTrailing),
    partialGivenHar: toProtoEstimate(severity.partialGivenHar),
    alarmOfClasses: toProtoAlarm(alarmOfClasses),
    alarmOfShare: toProtoAlarm(alarmOfShare),
  };
}

function toProtoAlarm(alarm: SeverityValidity['alarmOfShare']): labeling.Alarm | undefined {
  if (alarm === null) return undefined;
  const { packets, har, ...shares } = alarm;
  return { ...shares, packetTotal: packets, har: har ?? undefined };
}

function toProtoLift({ state, outcome, claims, packets, givenLast, givenBlend, verdict }: StateLift): labeling.StateLift {
  return {
    state,
    outcome: outcome ?? '',
    claimsHigher: claims === 'higher',
    packetTotal: packets,
    givenLast: toProtoEstimate(givenLast),
    givenBlend: toProtoEstimate(givenBlend),
    verdict,
  };
}

function toProtoEstimate(estimate: Estimate | null): labeling.Estimate | undefined {
  return estimate === null ? undefined : { value: estimate.value, low: estimate.low ?? undefined, high: estimate.high ?? undefined };
}

export async function getStability(
  { events, validity: readValidity, symbols }: GetStabilityDeps,
  request: labeling.GetStabilityRequest,
): Promise<labeling.GetStabilityResponse> {
  const { filter, faults } = readEventConditions(request);
  const all = [...faults, ...lengthFaults(request)];
  if (all.length > 0) throw invalidArgument(all);
  if (filter.symbol !== null) assertServed([filter.symbol], symbols);
  const [{ packetTotal, pairTotal, states }, validity] = await Promise.all([
    events.stability(filter),
    filter.symbol === null ? undefined : readValidity(filter),
  ]);
  return {
    validity: validity && toProtoValidity(validity),
    packetTotal,
    pairTotal,
    states: states.map(({ feedback, transitions, dwellMeanS, dwellMedianS, ...state }) => ({
      ...state,
      dwellMeanS: dwellMeanS ?? undefined,
      dwellMedianS: dwellMedianS ?? undefined,
      transitions: transitions.map(({ toState, total }) => ({ toState, total })),
      feedback: toProtoFeedback(feedback),
    })),
  };
}

function lengthFaults({ fromWindowEndMs, toWindowEndMs }: labeling.GetStabilityRequest): Fault[] {
  if (fromWindowEndMs > 0 && toWindowEndMs > 0 && toWindowEndMs - fromWindowEndMs <= WINDOW_MS_MAX) return [];
  return [
    {
      field: 'to_window_end_ms',
      message: 'must be at most 31 days after from_window_end_ms, and both must be given',
      type: 'out_of_range',
    },
  ];
}

interface ListPacketCoverageDeps {
  readonly events: Pick<EventIndex, 'held'>;
  readonly symbols: readonly string[];
}

export async function listHeldPackets(
  { events, symbols }: ListPacketCoverageDeps,
  { asOfMs }: labeling.ListHeldPacketsRequest,
): Promise<labeling.ListHeldPacketsResponse> {
  refuseFaults(instantFaults('as_of_ms', asOfMs));
  const held = await events.held(symbols, givenOrNull(asOfMs));
  return {
    symbols: held.map(({ symbol, firstMs, lastMs, total, archive }) => ({
      symbol,
      firstWindowEndMs: firstMs ?? 0,
      lastWindowEndMs: lastMs ?? 0,
      packetTotal: total,
      archive: toProtoArchive(archive),
    })),
  };
}
