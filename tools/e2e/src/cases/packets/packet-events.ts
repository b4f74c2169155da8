import { labeling } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import type { System } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { askDatabase } from '../../system/stored';
import { keyHeader } from '../../system/api';
import type { DefaultSystem } from '../../system/default-system';
import { oneUnitOff } from './verify';
import { answerPointer } from '../../system/served-document';

const BASE = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
const SYMBOLS = [SYMBOL, 'ETHUSD-PERP', 'SIMUSD-PERP'];
/** More than a pass of the recordings, which takes 650 s. */
const LOOKED_AT_MS = 20 * 60_000;
/** Packets to recompute. Ids are hashes, so the first ones by id are a fair sample. */
const VERIFIED = 12;

/** Fields of stored packets for expected results: listed by the labeling service and searched here. */
interface Body {
  readonly symbol: string;
  readonly event_id: string;
  readonly state: string;
  readonly event_class: string;
  readonly event_profile: string;
  readonly tags: readonly string[];
  readonly reason_details: readonly { readonly claim: string }[];
  readonly event_severity: { readonly severity_class: string };
}

interface Stored {
  readonly windowEndMs: number;
  readonly body: Body;
}

/** Recomputing a packet may take long on a busy machine. */
const ANSWER_MS = 30_000;

/** True if all words occur in state, tags and reasons, delimited by anything but letters and digits. */
function holds({ state, tags, reason_details: reasons }: Body, words: readonly string[]): boolean {
  const text = ` ${[state, ...tags, ...reasons.map(({ claim }) => claim)].join(' ')} `;
  return words.every((word) => new RegExp(`[^a-z0-9]${word}[^a-z0-9]`, 'i').test(text));
}

/** Twenty searches with known results: state, class and words as in the packets. */
const SEARCHES: readonly (readonly [parameters: string, holds: (body: Body) => boolean])[] = [
  ['q=ask+pressure', (body) => holds(body, ['ask', 'pressure'])],
  ['q=bid+pressure', (body) => holds(body, ['bid', 'pressure'])],
  ['q=pressure%3Aask_elevated%3Ashort', (body) => holds(body, ['pressure', 'ask', 'elevated', 'short'])],
  ['q=depth_watch', (body) => holds(body, ['depth', 'watch'])],
  ['q=own+samples', (body) => holds(body, ['own', 'samples'])],
  ['q=Below+Watch', (body) => holds(body, ['below', 'watch'])],
  ['q=over+against', (body) => holds(body, ['over', 'against'])],
  ['q=fragility', (body) => holds(body, ['fragility'])],
  ['q=policy+default', (body) => holds(body, ['policy', 'default'])],
  ['q=absorption', (body) => holds(body, ['absorption'])],
  ['q=zebra', () => false],
  ['state=depth_watch', ({ state }) => state === 'depth_watch'],
  ['state=pressure_building', ({ state }) => state === 'pressure_building'],
  ['state=flow_shift_watch', ({ state }) => state === 'flow_shift_watch'],
  ['event_class=balanced_two_sided_context', (body) => body.event_class === 'balanced_two_sided_context'],
  ['event_profile=depth_only_pressure', (body) => body.event_profile === 'depth_only_pressure'],
  ['severity_class=high_context', (body) => body.event_severity.severity_class === 'high_context'],
  ['tag=trades%3Abusy%3Ashort&tag=replay%3Aready', ({ tags }) => tags.includes('trades:busy:short') && tags.includes('replay:ready')],
  ['q=sell&severity_class=critical_context', (body) => body.event_severity.severity_class === 'critical_context' && holds(body, ['sell'])],
  [
    'q=mid+moved&state=depth_watch&tag=quality%3Ausable%3Ahot',
    (body) => body.state === 'depth_watch' && body.tags.includes('quality:usable:hot') && holds(body, ['mid', 'moved']),
  ],
];

/** Packets of every symbol whose windows end in a span, oldest first. */
async function storedPackets(system: System, fromWindowEndMs: number, toWindowEndMs: number): Promise<Stored[]> {
  const client = createClient({
    definition: labeling.LabelingServiceService,
    address: `127.0.0.1:${system.processes.portsOf('labeling').grpc}`,
    peer: system.rpc.identityOf('operator').to('labeling'),
  });
  const stored: Stored[] = [];
  try {
    for (const symbol of SYMBOLS) {
      let pageToken = '';
      do {
        const request = { symbol, fromWindowEndMs, toWindowEndMs, pageSize: 0, pageToken, descending: false, asOfMs: 0 };
        const page = await client.call.listPackets(request);
        stored.push(...page.packets.map(({ windowEndMs, body }) => ({ windowEndMs, body: JSON.parse(body.toString('utf8')) as Body })));
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
    }
  } finally {
    await client.close();
  }
  return stored.sort((a, b) => a.windowEndMs - b.windowEndMs || (a.body.symbol < b.body.symbol ? -1 : 1));
}

/**
 * Tests of search, verification and reads over many packets, on a system with an hour of history. The last ones delete
 * rows of a symbol.
 */
export function describePacketEvents(started: () => DefaultSystem): void {
  let shared: DefaultSystem;
  /** Packets of every symbol whose windows end from `fromMs` on and before `untilMs`, oldest first. */
  let stored: readonly Stored[];
  let fromMs: number;
  let untilMs: number;

  beforeAll(async () => {
    shared = started();
    untilMs = Date.now() - 60_000;
    fromMs = untilMs - LOOKED_AT_MS;
    stored = await storedPackets(shared.system, fromMs, untilMs);
  });

  async function answer(path: string, route: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, body } = await shared.api.send('GET', `${BASE}/${path}`, {
      headers: { [keyHeader]: shared.key },
      signal: timeLimit(ANSWER_MS),
    });
    expect([path, status]).toEqual([path, 200]);
    expect(shared.served.check(answerPointer({ method: 'GET', path: `${BASE}/${route}` }), body)).toBeNull();
    return body;
  }

  async function found(parameters: string): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const body = (await answer(
        `events/search?symbol=ALL&limit=40&from=${fromMs}&to=${untilMs}&${parameters}&cursor=${cursor}`,
        'events/search',
      )) as unknown as { rows: { event_id: string }[]; next_cursor: string | null };
      ids.push(...body.rows.map(({ event_id: eventId }) => eventId));
      cursor = body.next_cursor;
    }
    return ids;
  }

  describe('events/search on the bundled recording', () => {
    it.each(SEARCHES)('%s finds the matching packets while more are created', async (parameters, isWanted) => {
      const expected = stored
        .filter(({ body }) => isWanted(body))
        .sort((a, b) => b.windowEndMs - a.windowEndMs || (a.body.symbol < b.body.symbol ? 1 : -1));
      expect(await found(parameters)).toEqual(expected.map(({ body }) => body.event_id));
    });

    it('has searches that find something, but not everything', () => {
      const totals = SEARCHES.map(([, isWanted]) => stored.filter(({ body }) => isWanted(body)).length);
      expect(totals.filter((total) => total > 0).length).toBeGreaterThanOrEqual(12);
      expect(totals.filter((total) => total > 0 && total < stored.length).length).toBeGreaterThanOrEqual(10);
    });
  });

  describe('reads over many packets', () => {
    it("replay verifies its packets' chain, and history and search agree", async () => {
      const replay = (await answer(`replay?symbol=${SYMBOL}&limit=30`, 'replay')) as unknown as {
        packets: { event_id: string; state: string }[];
        lineage_verified: boolean;
        lineage_break: unknown;
      };
      expect(replay).toMatchObject({ lineage_verified: true, lineage_break: null });
      const ids = new Set(replay.packets.map(({ event_id: eventId }) => eventId));
      const history = (await answer(`history?symbol=${SYMBOL}&limit=1000`, 'history')) as unknown as {
        rows: { event_id: string; state: string }[];
        state_spans: { packet_total: number }[];
        row_total: number;
      };
      expect(history.rows.filter(({ event_id: eventId }) => ids.has(eventId)).map(({ event_id, state }) => ({ event_id, state }))).toEqual(
        replay.packets.map(({ event_id, state }) => ({ event_id, state })),
      );
      expect(history.state_spans.reduce((sum, { packet_total: total }) => sum + total, 0)).toBe(history.row_total);
    });

    it('stability shares add up', async () => {
      const { states, packet_total: total } = (await answer(`labels/stability?symbol=${SYMBOL}`, 'labels/stability')) as unknown as {
        states: { packet_total: number; share: number; transitions: { share: number }[] }[];
        packet_total: number;
      };
      expect(states.reduce((sum, { packet_total: own }) => sum + own, 0)).toBe(total);
      expect(states.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 4);
    });

    it('a judgement is stored and counted', async () => {
      const eventId = stored[0]?.body.event_id;
      const send = (label: string) =>
        shared.api.send('POST', `${BASE}/feedback/packet`, {
          body: JSON.stringify({ event_id: eventId, label }),
          headers: { 'content-type': 'application/json', [keyHeader]: shared.key },
        });
      expect((await send('noise')).body).toMatchObject({
        replaced: false,
        agreement: { event: { feedback_total: 1, noise: 1, agreement_share: 0 } },
      });
      const second = await send('useful');
      expect(second.body).toMatchObject({
        replaced: true,
        agreement: { event: { feedback_total: 1, noise: 0, useful: 1, agreement_share: 1 } },
      });
      expect(shared.served.check(answerPointer({ method: 'POST', path: `${BASE}/feedback/packet` }), second.body)).toBeNull();
    });
  });

  describe('events/{event_id}/verify', () => {
    const verify = (eventId: string) => answer(`events/${eventId}/verify`, 'events/{event_id}/verify');

    it('reports match on any events of the recording', async () => {
      const chosen = [...stored].sort((a, b) => (a.body.event_id < b.body.event_id ? -1 : 1)).slice(0, VERIFIED);
      for (const { body } of chosen)
        expect(await verify(body.event_id)).toMatchObject({
          result: 'match',
          match: true,
          signature: 'valid',
          different_fields: [],
          altered_row_ordinals: [],
        });
      expect(chosen).toHaveLength(VERIFIED);
    });

    it('reports mismatch for a changed row in the data plane, names a row with changed columns, and reports missing rows', async () => {
      const of = stored.filter(({ body }) => body.symbol === SYMBOL);
      const { windowEndMs, body } = of[20] as Stored;
      const [row] = await askDatabase<{ ordinal: string; exchange_ts_ms: string; size: string; payload: Buffer }>(
        shared.system,
        'data_plane',
        `SELECT ordinal, exchange_ts_ms, size, payload FROM log_entry WHERE symbol = $1 AND channel = 'trade' AND exchange_ts_ms > $2
          AND exchange_ts_ms <= $3 ORDER BY ordinal DESC LIMIT 1`,
        // The window's first trades may be logged before the preceding window closes, and so be in the checkpoint after it.
        [SYMBOL, windowEndMs - 10_000, windowEndMs],
      );
      if (row === undefined) throw new Error('the window has no trade');
      const change = (payload: Buffer) =>
        askDatabase(
          shared.system,
          'data_plane',
          'UPDATE log_entry SET payload = $1 WHERE symbol = $2 AND ordinal = $3 AND exchange_ts_ms = $4',
          [payload, SYMBOL, row.ordinal, row.exchange_ts_ms],
        );
      await change(oneUnitOff(row.payload, row.size));
      const changed = await verify(body.event_id);
      expect(changed).toMatchObject({
        result: 'mismatch',
        match: false,
        different_fields: expect.arrayContaining(['packet_digest', 'input_digest']),
        altered_row_ordinals: [Number(row.ordinal)],
      });
      expect(changed['rederived_packet_digest']).not.toBe(changed['retained_packet_digest']);
      expect(await verify((of[19] as Stored).body.event_id)).toMatchObject({ result: 'match' });
      await change(row.payload);
      expect(await verify(body.event_id)).toMatchObject({ result: 'match' });

      await askDatabase(shared.system, 'data_plane', 'DELETE FROM log_entry WHERE symbol = $1 AND ordinal < $2', [SYMBOL, row.ordinal]);
      expect(await verify(body.event_id)).toMatchObject({
        result: 'cannot',
        match: null,
        cannot_reason: changed['checkpoint'] === null ? 'checkpoint_gone' : 'rows_gone',
        rederived_packet_digest: null,
      });
    });
  });
}
