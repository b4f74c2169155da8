import { read, service } from '../service/client';
import type { CompactPacket } from './live-markets';
import { marketNamed } from './market-name';

export async function readLatest(symbol: string, signal: AbortSignal) {
  const latest = await read(service.latest.get({ symbol, view: 'compact' }, { signal }));
  return { ...latest, rows: (latest.rows as readonly CompactPacket[]).map(marketNamed) };
}
