import { account, type labeling, type marketData, type status } from '@market-state/contracts';
import { bindService, type BoundService } from '@market-state/grpc';
import { unknownSymbol } from '@market-state/errors';

const DAY_MS = 86_400_000;

/** Incident of one minute. */
function standInIncident(kind: string, openedMs: number, symbols: string[]): status.Incident {
  const letter = kind.slice(0, 1);
  return {
    incidentId: `inc_${letter.replace(/[ilou]/, 'x').repeat(26)}`,
    kind,
    openedMs,
    closedMs: openedMs + 60_000,
    symbols,
    gapIds: kind === 'gap' || kind === 'feed_silent' ? [`gap_${letter.repeat(26)}`] : [],
    sentence: `A stand-in of ${kind.replaceAll('_', ' ')}.`,
  };
}

/** Page of incidents for a filter. */
function incidentsOf(all: readonly status.Incident[], filter: status.IncidentFilter | undefined): status.Incident[] {
  const { fromMs = 0, toMs = 0, symbol = '', kind = '', pageSize = 0, after } = filter ?? {};
  return all
    .filter(({ openedMs, closedMs }) => openedMs < toMs && closedMs > fromMs)
    .filter(({ symbols }) => symbol === '' || symbols.length === 0 || symbols.includes(symbol))
    .filter((incident) => kind === '' || incident.kind === kind)
    .filter(({ openedMs }) => after === undefined || openedMs < after.openedMs)
    .toSorted((one, other) => other.openedMs - one.openedMs)
    .slice(0, pageSize);
}

export interface StandInPacketFigures {
  readonly calls: {
    recordGatewayMinutes(request: labeling.RecordGatewayMinutesRequest): Promise<labeling.RecordGatewayMinutesResponse>;
    listLatencyDays(request: labeling.ListLatencyDaysRequest): Promise<labeling.ListLatencyDaysResponse>;
    listWindowMonths(request: labeling.ListWindowMonthsRequest): Promise<labeling.ListWindowMonthsResponse>;
    listIncidents(request: labeling.ListIncidentsRequest): Promise<labeling.ListIncidentsResponse>;
  };
  /** Minutes received from gateways. */
  readonly minutes: labeling.RecordGatewayMinutesRequest[];
}

/** Labeling's packet statistics: two days and a month, counted since the day before the requested end. */
export function standInPacketFigures(symbols: readonly string[], refuseWhenDown: () => void): StandInPacketFigures {
  const minutes: labeling.RecordGatewayMinutesRequest[] = [];
  const enter = (symbol: string): void => {
    refuseWhenDown();
    if (symbol !== '' && !symbols.includes(symbol)) throw unknownSymbol(symbol, symbols);
  };
  const calls: StandInPacketFigures['calls'] = {
    async recordGatewayMinutes(request) {
      refuseWhenDown();
      minutes.push(request);
      return {};
    },
    async listLatencyDays({ symbol, toMs }) {
      enter(symbol);
      const todayMs = Math.floor(toMs / DAY_MS) * DAY_MS;
      const stage = { packetTotal: 8_640, p50Ms: 12, p99Ms: 41, minutesWithoutFigures: 3 };
      const day = { closingTickToPacket: stage, packetToGateway: stage, remadeTotal: 6 };
      const none = { packetTotal: 0, minutesWithoutFigures: 0 };
      return {
        days: [
          { dayMs: todayMs - DAY_MS, ...day, closingTickToGateway: stage },
          { dayMs: todayMs, ...day, closingTickToGateway: none },
        ],
        settledToMs: toMs,
        countedFromMs: todayMs - DAY_MS + 3_600_000,
      };
    },
    async listWindowMonths({ symbol, toMs }) {
      enter(symbol);
      const monthMs = monthOf(toMs);
      return {
        months: [{ monthMs, dueTotal: 3_000, inTimeTotal: 2_999, withoutFiguresTotal: 1 }],
        settledToMs: toMs,
        countedFromMs: monthMs + 1_000,
      };
    },
    async listIncidents({ filter }) {
      enter(filter?.symbol ?? '');
      const openedMs = (filter?.toMs ?? 0) - 2 * 3_600_000;
      return { incidents: incidentsOf([standInIncident('packets_late', openedMs, [...symbols])], filter) };
    },
  };
  return { calls, minutes };
}

/** The data plane's gap incidents. */
export function standInGapIncidents(symbol: string, filter: status.IncidentFilter | undefined): marketData.ListIncidentsResponse {
  const toMs = filter?.toMs ?? 0;
  const all = [standInIncident('gap', toMs - 3_600_000, [symbol]), standInIncident('feed_silent', toMs - 4 * 3_600_000, [symbol])];
  return { incidents: incidentsOf(all, filter) };
}

export interface StandInReadFigures {
  readonly service: BoundService;
  /** Minutes received from gateways. */
  readonly minutes: account.RecordReadMinutesRequest[];
}

/** Account's read statistics. */
export function standInReadFigures(refuseWhenDown: () => void): StandInReadFigures {
  const minutes: account.RecordReadMinutesRequest[] = [];
  const service = bindService(account.ReadFiguresServiceService, {
    async recordReadMinutes(request) {
      refuseWhenDown();
      minutes.push(request);
      return {};
    },
    async listReadMonths({ toMs }) {
      refuseWhenDown();
      const monthMs = monthOf(toMs);
      return {
        months: [{ monthMs, answeredTotal: 999_999, failedTotal: 2, minutesWithoutFigures: 5 }],
        settledToMs: toMs,
        countedFromMs: monthMs,
      };
    },
    async listIncidents({ filter }) {
      refuseWhenDown();
      const openedMs = (filter?.toMs ?? 0) - 3 * 3_600_000;
      return { incidents: incidentsOf([standInIncident('reads_failing', openedMs, [])], filter) };
    },
  });
  return { service, minutes };
}

function monthOf(instantMs: number): number {
  const date = new Date(instantMs - 1);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
