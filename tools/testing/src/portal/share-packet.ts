const API = '/api/public/market-state';
/** Packets can be shared when they have been known for 600 s. */
const SHAREABLE_MS = 660_000;

/** A share, and the event of its packet. */
export interface SharedEvent {
  readonly shareId: string;
  readonly eventId: string;
}

/** Shares a packet of the recorded market that is old enough, with a key that may. */
export async function sharePacket(url: string, key: string): Promise<SharedEvent> {
  const headers = { 'x-market-state-api-key': key, 'content-type': 'application/json' };
  const toMs = Date.now() - SHAREABLE_MS;
  const span = `symbol=BTCUSD-PERP&from=${toMs - 120_000}&to=${toMs}&limit=1`;
  const found = await fetch(`${url}${API}/history?${span}`, { headers });
  const { rows = [] } = (await found.json()) as { readonly rows?: readonly { readonly event_id: string }[] };
  const eventId = rows[0]?.event_id ?? '';
  const made = await fetch(`${url}${API}/shares`, { method: 'POST', headers, body: JSON.stringify({ event_id: eventId }) });
  if (made.status !== 200) throw new Error(`The packet was not shared: ${made.status} ${await made.text()}`);
  return { shareId: ((await made.json()) as { readonly share_id: string }).share_id, eventId };
}
