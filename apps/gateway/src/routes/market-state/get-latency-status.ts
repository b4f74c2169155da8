import type { labeling } from '@market-state/contracts';
import { DAY_MS } from '@market-state/service-figures';
import type { PacketClient } from '../../clients/packet-client';
import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { toUtc, toUtcOrNull, parseInstant } from '../../serving/meta/instant';
import type { Described } from '../../serving/openapi/described';

/** Days without `from`, today among them. */
const DAYS = 7;

export function getLatencyStatus({ call: labeling }: PacketClient, now: () => number): Handler<'getLatencyStatus'> {
  return async (call) => {
    const { symbol, from, to } = call.input.query;
    const toMs = parseInstant(to) ?? now();
    const fromMs = parseInstant(from) ?? Math.max(1, toMs - (DAYS - 1) * DAY_MS);
    const answer = await labeling.listLatencyDays({ symbol: symbol === 'ALL' ? '' : symbol, fromMs, toMs });
    const fields = {
      symbol,
      as_of_utc: toUtc(answer.settledToMs),
      counted_from_utc: toUtcOrNull(answer.countedFromMs),
      rows: answer.days.map((day) => toRow(day, answer.settledToMs)),
      row_total: answer.days.length,
    };
    return accountAnswer(call, fields, 'Counted as packets came, whole minutes alone.');
  };
}

function toRow(day: labeling.LatencyDay, settledToMs: number): Described<'LatencyDay'> {
  return {
    date: toUtc(day.dayMs).slice(0, 10),
    is_finished: day.dayMs + DAY_MS <= settledToMs,
    closing_tick_to_packet: toStage(day.closingTickToPacket),
    packet_to_gateway: toStage(day.packetToGateway),
    closing_tick_to_gateway: toStage(day.closingTickToGateway),
    remade_total: day.remadeTotal,
  };
}

function toStage(stage: labeling.LatencyStage | undefined): Described<'LatencyStage'> {
  const { packetTotal = 0, p50Ms, p99Ms, minutesWithoutFigures = 0 } = stage ?? {};
  return { packet_total: packetTotal, p50_ms: p50Ms ?? null, p99_ms: p99Ms ?? null, minutes_without_figures: minutesWithoutFigures };
}
