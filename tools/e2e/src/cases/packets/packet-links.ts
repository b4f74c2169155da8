import { waitUntil } from '@market-state/testing';
import { keyHeader } from '../../system/api';
import type { DefaultSystem } from '../../system/default-system';

const BASE = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
/** Packets whose links are followed, and packets before the first of them. */
const FOLLOWED = 50;
const BEFORE = 30;
const REPLAY_BYTES_MAX = 1_258_291;
/** Recomputing a packet takes seconds, so only one in this many is. */
const VERIFIED_EVERY = 10;

interface Packet {
  readonly event_id: string;
  readonly route_refs: Readonly<Record<string, string>>;
  readonly route_guidance: { readonly recommended_route: string };
  readonly reason_details: readonly { readonly evidence_routes?: readonly string[] }[];
}

interface Link {
  readonly rel: string;
  readonly method: string;
  readonly route: string;
  readonly purpose: string;
}

export function describePacketLinks(started: () => DefaultSystem): void {
  let packets: readonly Packet[];
  const opened = new Map<string, Promise<string>>();

  /** Fetches each route only once. */
  function open(route: string): Promise<string> {
    const known = opened.get(route) ?? read(route);
    opened.set(route, known);
    return known;
  }

  async function read(route: string): Promise<string> {
    const { api, key } = started();
    const { status, text } = await api.getPatiently(route, { [keyHeader]: key });
    expect([route, status, status === 200 ? '' : text]).toEqual([route, 200, '']);
    return text;
  }

  async function newest(limit: number): Promise<readonly { readonly event_id: string; readonly packet: Packet }[]> {
    const windowSeconds = limit * 10;
    const { body } = await started().api.getWithKey(
      `${BASE}/replay?symbol=${SYMBOL}&limit=${limit}&replay_window_seconds=${windowSeconds}`,
    );
    return (body['packets'] ?? []) as readonly { readonly event_id: string; readonly packet: Packet }[];
  }

  async function expectLastOfThirty(route: string, eventId: string): Promise<void> {
    const text = await open(route);
    const { packets: found } = JSON.parse(text) as { readonly packets: readonly { readonly event_id: string }[] };
    expect([route, found.length, found.at(-1)?.event_id]).toEqual([route, 30, eventId]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(REPLAY_BYTES_MAX);
  }

  /** A route about one event opens something that names it; one about a symbol opens. */
  async function expectOpens(route: string, eventId: string): Promise<void> {
    if (route.startsWith(`${BASE}/replay?`)) return expectLastOfThirty(route, eventId);
    const text = await open(route);
    if (route.includes(eventId) || route.startsWith('/api/public/data/replay/window?'))
      expect([route, text.includes(eventId)]).toEqual([route, true]);
  }

  beforeAll(async () => {
    await waitUntil('packets', async () => (await newest(FOLLOWED + BEFORE)).length === FOLLOWED + BEFORE);
    // Excludes the newest: the row that closed its window may not be stored yet.
    packets = (await newest(FOLLOWED + BEFORE)).slice(-FOLLOWED - 1, -1).map(({ packet }) => packet);
  });

  it('every route in fifty packets opens, and contains the packet if it is about it', async () => {
    expect(packets).toHaveLength(FOLLOWED);
    for (const packet of packets) {
      const { event_id: eventId, route_refs: refs, route_guidance: guidance, reason_details: reasons } = packet;
      const evidence = reasons.flatMap(({ evidence_routes: routes = [] }) => routes);
      for (const route of new Set([...Object.values(refs), guidance.recommended_route, ...evidence])) await expectOpens(route, eventId);
    }
  });

  it('every link of answers about them opens what it names', async () => {
    for (const [index, { event_id: eventId }] of packets.entries()) {
      const evidence = JSON.parse(await open(`${BASE}/events/${eventId}/evidence`)) as { readonly links: readonly Link[] };
      const workbench = JSON.parse(await open(`${BASE}/packets/${eventId}/workbench`)) as {
        readonly next_steps: { readonly steps: readonly Link[] };
      };
      for (const { rel, method, route, purpose } of [...evidence.links, ...workbench.next_steps.steps]) {
        expect(purpose).toMatch(/^[A-Z].*\.$/);
        const isSlow = route.endsWith('/verify') && index % VERIFIED_EVERY !== 0;
        if (method !== 'GET' || rel === 'follow_packets' || isSlow) continue;
        await expectOpens(route, eventId);
      }
    }
  });

  it('the first routes that latest recommends are served, and the first replay among them ends with its event', async () => {
    const { body } = await started().api.getWithKey(`${BASE}/latest?symbol=${SYMBOL}`);
    const [row] = body['rows'] as readonly { readonly event_id: string }[];
    const routes = body['recommended_next_routes'] as readonly string[];
    expect(routes.length).toBeGreaterThan(2);
    for (const route of routes) await expectOpens(route, row?.event_id ?? '');
  });
}
