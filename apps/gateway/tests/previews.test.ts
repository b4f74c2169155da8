import type { Packet } from '@market-state/labeler';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { operations } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { tapeRecords } from './stand-in/tape-packets';

const DEMO = '/api/public/market-state/demo';
const PUBLIC = {
  PublicPacketConstruction: `${DEMO}/public-packet-construction`,
  PublicProofBrowser: `${DEMO}/public-proof-browser`,
} as const;
const KEYED = { KeyedPacketConstruction: `${DEMO}/packet-construction`, KeyedProofBrowser: `${DEMO}/proof-browser` } as const;
const DELAY_MS = 600_000;

/** The feed clock of the stand-ins' rows is 2026-01-01T00:00. */
const NOW_MS = Date.parse('2026-01-01T00:09:58.500Z');
const LAST_END_MS = Date.parse('2026-01-01T00:09:50.000Z');
const TOTAL = 160;
const FIRST_END_MS = LAST_END_MS - (TOTAL - 1) * 10_000;

interface Page {
  readonly [field: string]: unknown;
  readonly rows: readonly { readonly route_paths: readonly string[] }[];
}

describe('previews', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ now: () => NOW_MS, packets: false });
    for (const record of tapeRecords({ firstEndMs: FIRST_END_MS, total: TOTAL })) booted.labeling.push(record);
  });
  afterAll(() => booted.close());

  it.each(Object.entries(PUBLIC))('%s keeps to its schema, needs no key and holds nothing younger than 600 s', async (schema, path) => {
    const response = await booted.get(path);
    expect(response.status).toBe(200);
    const body = response.json<Page>();
    expect(responseCheck(schema)(body)).toBeNull();
    expect(body).toMatchObject({
      status: 'preview',
      requires_api_key: false,
      metered: false,
      meta: {
        response_semantics: { response_state: 'preview', auth_state: 'pre_key_public', live_current: false, freshness_state: 'fresh' },
      },
    });
    const events = [...new Set(response.text.match(/evt_BTCUSD-PERP_\d+/g) ?? [])].map((id) => Number(id.split('_').at(-1)));
    expect(events.length).toBeGreaterThan(0);
    expect(Math.max(...events)).toBeLessThanOrEqual(NOW_MS - DELAY_MS - 1_000);
  });

  it('a cache in front may keep what is the same for all callers for ten seconds, and nothing else', async () => {
    const shared = operations.filter(
      ({ credential, method, tag, path }) => credential === 'none' && method === 'get' && tag !== 'operations' && !path.includes('{'),
    );
    expect(shared.length).toBeGreaterThan(10);
    for (const { path, tag } of shared) {
      const { status, headers } = await booted.get(path);
      const kept = status === 200 && tag !== 'account' ? 'public, max-age=10, stale-while-revalidate=30' : 'no-store';
      expect([path, headers['cache-control']]).toEqual([path, kept]);
      const again = await booted.get(path, { headers: { 'if-none-match': headers['etag'] ?? '' } });
      if (again.status === 304) expect([path, again.headers['cache-control']]).toEqual([path, kept]);
    }
    for (const path of Object.values(KEYED)) expect((await booted.keyed(path)).headers['cache-control']).toBe('no-store');
  });

  it.each(Object.entries(KEYED))('%s keeps to its schema and is not delayed', async (schema, path) => {
    expect((await booted.get(path)).status).toBe(401);
    const response = await booted.keyed(path);
    expect(response.status === 200 ? '' : response.text).toBe('');
    expect(responseCheck(schema)(response.json())).toBeNull();
    expect(response.json()).toMatchObject({ status: 'ready', requires_api_key: true, metered: true });
    const newest = Math.max(...(response.text.match(/evt_BTCUSD-PERP_\d+/g) ?? []).map((id) => Number(id.split('_').at(-1))));
    expect(newest).toBeGreaterThan(NOW_MS - DELAY_MS);
  });

  it('give a sandbox key what is 600 s old, and the public tape as everyone sees it', async () => {
    const key = booted.account.issue({}, 'test');
    const response = await booted.get(KEYED.KeyedProofBrowser, { headers: { 'x-market-state-api-key': key } });
    expect(response.status === 200 ? '' : response.text).toBe('');
    const body = response.json<{
      packet_tape: { rows: { event_id: string }[] };
      public_packet_tape: { rows: { event_id: string }[] };
      meta: object;
    }>();
    expect(body.packet_tape.rows.map(({ event_id }) => event_id)).toEqual(body.public_packet_tape.rows.map(({ event_id }) => event_id));
    expect(body.meta).toMatchObject({ response_semantics: { response_state: 'delayed_sandbox' } });
  });

  it('describe each step of the contract by which a packet is made, with the packet’s values', async () => {
    const body = (await booted.get(PUBLIC.PublicPacketConstruction)).json<{
      rows: { construction_step_id: string; proof_points: string[] }[];
      sample_packet: {
        tags: string[];
        state_decision_trace: { composites: Record<string, { score: number | null; watch: number; elevated: number }> };
      };
      packet_input_to_label_trace: {
        feature_reads: { packet_field: string; derived_value: number | null; resulting_tag: string; threshold_policy: string }[];
      };
      packet_schema: { field: string; purpose: string }[];
    }>();
    expect(body.rows.map(({ construction_step_id }) => construction_step_id)).toEqual([
      'packet_input',
      'derive_features',
      'label_reason_confidence',
      'packet_schema',
      'measurement_boundary',
      'sdk_first_integration',
    ]);
    for (const read of body.packet_input_to_label_trace.feature_reads) {
      const name = read.packet_field.split('.')[2] ?? '';
      const composite = body.sample_packet.state_decision_trace.composites[name];
      expect(read.derived_value).toBe(composite?.score);
      expect(read.threshold_policy).toBe(
        `${name}_watch from ${String(composite?.watch)}, ${name}_elevated from ${String(composite?.elevated)}`,
      );
      expect(body.sample_packet.tags).toContain(read.resulting_tag);
    }
    for (const { purpose } of body.packet_schema) expect(purpose).not.toBe('');
  });

  it('have consistent parts: spans, transitions, stages and timeline', async () => {
    const body = (await booted.get(PUBLIC.PublicProofBrowser)).json<{
      buyer_event_story_cards: { event_id: string; story_rule: string }[];
      event_story_packets: { event_id: string }[];
      public_packet_lineage_stories: {
        event_id: string;
        timeline_rows: { event_id: string; stage: string; state: string; severity_score: number }[];
        transition_rows: { from_state: string; to_state: string }[];
        lineage_visualization: { state_spans: { packet_total: number }[]; missing_packet_total: number; density_state: string };
        lineage_metrics: { packet_total: number; verified_packet_total: number; state_change_total: number };
        window: { packet_sequence_total: number };
        stages: Record<string, { packet_total: number }>;
        provider_tape_excerpt_rows: object[];
      }[];
    }>();
    const stories = body.public_packet_lineage_stories;
    expect(stories.map(({ event_id }) => event_id)).toEqual(body.buyer_event_story_cards.map(({ event_id }) => event_id));
    expect(stories.map(({ event_id }) => event_id)).toEqual(body.event_story_packets.map(({ event_id }) => event_id));
    expect(body.buyer_event_story_cards.map(({ story_rule }) => story_rule)).toEqual(['largest_severity', 'newest_state_change']);
    for (const story of stories) {
      const total = story.timeline_rows.length;
      expect(story.timeline_rows.find(({ event_id }) => event_id === story.event_id)?.stage).toBe('during');
      expect(story.lineage_metrics).toMatchObject({ packet_total: total, verified_packet_total: total });
      expect(Object.values(story.stages).reduce((sum, { packet_total }) => sum + packet_total, 0)).toBe(total);
      expect(story.lineage_visualization.state_spans.reduce((sum, { packet_total }) => sum + packet_total, 0)).toBe(
        story.window.packet_sequence_total,
      );
      expect(story.lineage_visualization.state_spans.length - 1).toBe(story.lineage_metrics.state_change_total);
      expect(story.transition_rows.filter(({ from_state, to_state }) => from_state !== to_state)).toHaveLength(
        story.lineage_metrics.state_change_total,
      );
      expect(story.lineage_visualization).toMatchObject({ missing_packet_total: 0, density_state: 'dense' });
      expect(story.provider_tape_excerpt_rows.length).toBeGreaterThan(0);
    }
  });

  it('show receipts without who called, and say so when they cannot be read', async () => {
    const text = (await booted.get(PUBLIC.PublicProofBrowser)).text;
    expect(JSON.parse(text)).toMatchObject({
      credit_spend_receipts_state: 'shown',
      credit_spend_receipts: [{ tenant_id: 'demo_tenant', market_state_credit_delta: -1, estimate_delta_state: 'under_estimate' }, {}, {}],
    });
    expect(text.match(/\bten_\w+|\bkey_[0-9]\w*|\bmsk_\w+|\bpkt_\w+/g)).toBeNull();
  });

  it('name no symbol that is not served, and none that is malformed', async () => {
    expect((await booted.get(`${PUBLIC.PublicProofBrowser}?symbol=DOGEUSD-PERP`)).json()).toMatchObject({
      status: 404,
      code: 'unknown_symbol',
    });
    expect((await booted.get(`${PUBLIC.PublicProofBrowser}?symbol=what`)).status).toBe(422);
  });

  it('answer 503 in words for a symbol without a packet that is old enough', async () => {
    const response = await booted.get(`${PUBLIC.PublicProofBrowser}?symbol=ETHUSD-PERP`);
    expect(response.json()).toMatchObject({ status: 503, code: 'no_packet_yet', detail: expect.stringContaining('ETHUSD-PERP') });
  });

  it('are the same bytes for a reader who holds them: 304', async () => {
    const first = await booted.get(PUBLIC.PublicPacketConstruction);
    const again = await booted.get(PUBLIC.PublicPacketConstruction, { headers: { 'if-none-match': String(first.headers['etag']) } });
    expect(again.status).toBe(304);
  });
});

describe('packets of windows without an event, the first ones of a symbol', () => {
  const NOW = Date.parse('2025-12-01T00:05:03.000Z');
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ now: () => NOW, packets: false });
    const change = ({ packet_lineage_summary: summary, ...packet }: Packet): object => ({
      ...packet,
      packet_lineage_summary: { ...summary, window_event_totals: { book: 0, trade: 0, context: null, liquidation: null } },
    });
    for (const record of tapeRecords({ firstEndMs: NOW - 53_000, total: 6, change }))
      booted.labeling.push({ ...record, closingOrdinal: 1 });
  });
  afterAll(() => booted.close());

  it('the proof browser with a key shows them, and no public tape yet; it says that no event came, not that rows are gone', async () => {
    const answer = await booted.keyed(KEYED.KeyedProofBrowser);
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { packet_tape: { row_total: 6 }, public_packet_tape: { row_total: 0, rows: [] } },
    ]);
    expect(responseCheck('KeyedProofBrowser')(answer.json())).toBeNull();
    expect(answer.text).not.toContain('no longer retained');
    expect(answer.json()).toMatchObject({
      rows: expect.arrayContaining([
        expect.objectContaining({
          browser_step_id: 'inspect_source_and_capture',
          next_action: 'No events arrived in that window, so it has no rows. Choose another event.',
        }),
        expect.objectContaining({ browser_step_id: 'replay_the_event', evidence_state: 'ready' }),
      ]),
    });
    expect((await booted.get(PUBLIC.PublicProofBrowser)).json()).toMatchObject({ code: 'no_packet_yet' });
  });

  it('their evidence lacks no row', async () => {
    const answer = await booted.keyed(`/api/public/market-state/events/evt_BTCUSD-PERP_${NOW - 53_000}/evidence`);
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      {
        meta: {
          response_semantics: { status_text: expect.stringContaining('Its window had no events'), availability_state: 'available' },
        },
      },
    ]);
  });
});

describe('what a preview does not list', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ now: () => NOW_MS, packets: false });
    const change = (packet: Packet): object => ({
      ...packet,
      something_new: { deep: ['canary of a new field'] },
      packet_id: 'pkt_canary',
      input_digest: 'canary of the input',
      policy_digest: 'canary of the policy',
      compute_lanes: packet.compute_lanes.map((lane) => ({ ...lane, state_label: 'canary of a compute lane' })),
      reason_details: packet.reason_details.map((reason) => ({
        ...reason,
        supporting_features: ['canary of a reason'],
        evidence_routes: ['/canary'],
      })),
      route_refs: { latest: '/canary' },
      route_guidance: { ...packet.route_guidance, route_reason: 'canary of guidance' },
      state_decision_trace: {
        ...packet.state_decision_trace,
        hidden: 'canary of the trace',
        candidate_states: packet.state_decision_trace.candidate_states.map((candidate) => ({ ...candidate, terms: { canary: 1 } })),
      },
      confidence: { ...packet.confidence, hidden: 'canary of confidence' },
    });
    for (const record of tapeRecords({ firstEndMs: FIRST_END_MS, total: 100, change }))
      booted.labeling.push({ ...record, headline: 'canary of the row', customerNextStep: 'canary of the row' });
  });
  afterAll(() => booted.close());

  it.each(Object.values({ ...PUBLIC, ...KEYED }))('is in no byte of %s', async (path) => {
    const { status, text } = await booted.keyed(path);
    expect(status).toBe(200);
    expect(text.match(/.{0,80}canary.{0,40}/)).toBeNull();
  });
});
