import type { labeling } from '@market-state/contracts';
import { failedPrecondition, notFound } from '@market-state/errors';
import type { ClientCalls } from '@market-state/grpc';
import type { PacketClient } from '../clients/packet-client';
import { onlyCalls } from './delay';

/** The newest packet is looked for so far back, milliseconds, near first. */
const REACHES_MS = [60_000, 600_000, 3_600_000];

const PAGE_SIZE = 1_000;

type Calls = ClientCalls<labeling.LabelingServiceService>;

type Span = Pick<labeling.ListPacketsRequest, 'symbol' | 'fromWindowEndMs' | 'toWindowEndMs'>;

/** The last packet of a span: pages come oldest first, and hold fewer packets than asked for where they are large. */
async function lastOf(call: Calls, span: Span, options: Parameters<Calls['listPackets']>[1]): Promise<labeling.PacketRecord | undefined> {
  let last: labeling.PacketRecord | undefined;
  let pageToken = '';
  do {
    const page = await call.listPackets({ ...span, pageSize: PAGE_SIZE, pageToken }, options);
    last = page.packets.at(-1) ?? last;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return last;
}

/**
 * The labeling service as a sandbox key sees it: packets whose window ended by the delayed clock, and no others.
 * @param clock the delayed clock, milliseconds since the epoch
 */
export function delayedPackets(client: PacketClient, clock: () => number): PacketClient {
  const { call } = client;
  /** Exclusive bound of window ends. */
  const before = (askedMs: number): number => (askedMs === 0 ? clock() + 1 : Math.min(askedMs, clock() + 1));

  const calls: Partial<Calls> = {
    listPackets: (request, options) => call.listPackets({ ...request, toWindowEndMs: before(request.toWindowEndMs) }, options),
    getPacketArchive: (request, options) => call.getPacketArchive({ ...request, toWindowEndMs: before(request.toWindowEndMs) }, options),
    listSigningKeys: call.listSigningKeys,
    async getLatestPacket({ symbol }, options) {
      const toWindowEndMs = before(0);
      for (const reachMs of REACHES_MS) {
        const packet = await lastOf(call, { symbol, fromWindowEndMs: Math.max(0, toWindowEndMs - reachMs), toWindowEndMs }, options);
        if (packet !== undefined) return { packet };
      }
      throw failedPrecondition('no_packet_yet', `${symbol} has no packet yet that is 600 s old.`);
    },
    async getPacket(request, options) {
      const answer = await call.getPacket(request, options);
      if (answer.packet !== undefined && answer.packet.windowEndMs >= before(0)) throw notFound('unknown_packet', 'There is no event with this id.');
      return answer;
    },
  };
  return { call: onlyCalls<Calls>(calls), unaryCallTotal: (method) => client.unaryCallTotal(method), close: () => Promise.resolve() };
}
