import type { labeling } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { servedSymbol } from '../../../clients/market-data-client';
import { packetOfEvent } from '../../../clients/packet-client';
import type { Upstreams } from '../../../clients/upstreams';

/** Default of the parameter `symbol`. With an event id it stands for the event's own symbol. */
const DEFAULT_SYMBOL = 'BTCUSD-PERP';

/**
 * The packet of an event. @param symbol the event's own, or the default
 * @throws ServiceError `unknown_symbol` for one that is not served, `unknown_packet` for another symbol than the event's or an unknown id
 */
export async function packetOfSymbol(
  { marketData, packets }: Pick<Upstreams, 'marketData' | 'packets'>,
  eventId: string,
  symbol: string,
): Promise<labeling.PacketRecord> {
  if (symbol !== DEFAULT_SYMBOL) await servedSymbol(marketData, symbol);
  const packet = await packetOfEvent(packets, eventId, 0);
  if (symbol !== DEFAULT_SYMBOL && packet.symbol !== symbol) throw notFound('unknown_packet', `There is no such event of ${symbol}.`);
  return packet;
}
