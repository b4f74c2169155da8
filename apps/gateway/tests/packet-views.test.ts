import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createState, loadPolicy, type PacketResult, reduce } from '@market-state/labeler';
import { instrumentOf, recordingLines, recordingLog } from '@market-state/market-data';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { openApiDocument } from '../src/serving/openapi/document';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { packetRecord } from './stand-in/packet-record';

const SYMBOL = 'BTCUSD-PERP';
const ROUTES = '/api/public/market-state';
const RECORDINGS = join(import.meta.dirname, '../../../libs/domain/market-data/recordings/binance-coinm');

// Answers are held against their schemas; here their fields are compared with each other.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = Readonly<Record<string, any>>;

const LINES = ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'].flatMap((file) => [
  ...recordingLines(gunzipSync(readFileSync(join(RECORDINGS, file)))),
]);

/** First packets of one pass over the bundled recording, shifted in time like the feed does. */
function recordedPackets(shiftMs: number, total = Infinity): PacketResult[] {
  const state = createState(SYMBOL, loadPolicy());
  const made: PacketResult[] = [];
  for (const event of recordingLog({ instrument: instrumentOf(SYMBOL), lines: LINES, firstShiftMs: shiftMs })) {
    if (event.pass > 1 || made.length >= total) break;
    made.push(...reduce(state, event));
  }
  return made;
}

const [firstRecorded] = recordedPackets(0, 1);
/** The stand-in's feed clock is fixed at the start of 2026: the recording is shifted to end before it. */
const SHIFT_MS = Math.floor((Date.parse('2025-12-31T23:40:00.000Z') - (firstRecorded?.windowEndMs ?? 0)) / 10_000) * 10_000;
const packets = recordedPackets(SHIFT_MS);
const newest = packets[packets.length - 1] as PacketResult;
const NOW_MS = newest.windowEndMs + 5_000;

const CHECKED: readonly (readonly [string, string])[] = [
  [`events/${newest.packet.event_id}/evidence`, 'EventEvidence'],
  [`packets/${newest.packet.event_id}/workbench`, 'PacketWorkbench'],
  [`postmortems/${newest.packet.event_id}`, 'Postmortem'],
  ['forced-flow/latest', 'ForcedFlowRead'],
  ['crowding-regime/latest', 'CrowdingRegimeRead'],
  ['microstructure/queue-fragility/latest', 'QueueFragilityRead'],
  ['microstructure/buyer-summary', 'BuyerSummary'],
  ['feature-quality', 'FeatureQuality'],
];

describe('views of one packet', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ packets: false, now: () => NOW_MS });
    packets.forEach(({ packet, body, windowEndMs, packetDigest, lineageDigest }, index) => {
      const record = packetRecord(SYMBOL, windowEndMs, {
        packetId: packet.packet_id,
        eventId: packet.event_id,
        sequence: index + 1,
        body: Buffer.from(body),
        packetDigest,
        lineageDigest,
        closingOrdinal: 0,
      });
      if (index === packets.length - 1) booted.labeling.push(record);
      else booted.labeling.store(record);
    });
    await booted.until(async () => (await booted.keyed(`${ROUTES}/latest`)).status === 200);
  });
  afterAll(() => booted.close());

  async function read(path: string): Promise<Json> {
    const response = await booted.keyed(`${ROUTES}/${path}`);
    const body = response.json<Json>();
    expect([path, response.status, body['detail']]).toEqual([path, 200, undefined]);
    return body;
  }

  it.each(CHECKED)('%s keeps to its schema, which names every field', async (path, schema) => {
    expect(responseCheck(schema)(await read(path))).toBeNull();
  });

  it('numbers of the newest packet are the same on every route that shows them', async () => {
    const [latest, evidence, workbench, postmortem, forced, crowding, fragility, summary, quality] = (await Promise.all(
      ['latest', ...CHECKED.map(([path]) => path)].map(read),
    )) as [Json, Json, Json, Json, Json, Json, Json, Json, Json];
    const row = latest['rows'][0];
    const { packet } = row;
    expect(workbench['packet']).toEqual(packet);
    for (const body of [evidence, workbench, postmortem, forced, crowding, fragility, summary, quality]) {
      expect(body['packet_ref']).toEqual(latest['packet_refs'][0]);
      expect([body['symbol'], body['window_end_utc'], body['fresh_until_utc'], body['source_status']]).toEqual([
        SYMBOL,
        packet.ts,
        latest['packet_freshness'].fresh_until_utc,
        latest['packet_freshness'].freshness_state,
      ]);
      expect(body['meta'].response_semantics).toMatchObject({
        response_state: 'recorded_replay',
        auth_state: 'api_key',
        live_current: false,
        freshness_state: 'fresh',
      });
    }
    for (const body of [evidence, postmortem, forced, crowding, fragility, summary])
      expect([body['state'], body['event_class']]).toEqual([packet.state, packet.event_class]);
    for (const body of [evidence, forced, crowding, fragility, summary]) expect(body['event_severity']).toEqual(packet.event_severity);
    const own = Object.fromEntries(evidence['composites'].map((score: Json) => [score['composite'], score]));
    expect({
      forced_flow: forced['forced_flow'],
      crowding: crowding['crowding'],
      regime: crowding['regime'],
      fragility: fragility['queue_fragility'],
    }).toEqual({ forced_flow: own['forced_flow'], crowding: own['crowding'], regime: own['regime'], fragility: own['fragility'] });
    for (const score of summary['scores']) {
      const { score: value, norm, side, level, watch, elevated } = packet.state_decision_trace.composites[score.composite];
      expect(score).toMatchObject({ score: value, norm, side, level, watch, elevated, sentence: own[score.composite].sentence });
      expect(workbench['lineage'].event.scores[score.composite]).toBe(value);
      expect(postmortem['what_changed'].scores.find((compared: Json) => compared['composite'] === score.composite).at_event).toBe(value);
    }
    expect(quality['features']).toEqual(evidence['features']);
    expect(Object.fromEntries(quality['features'].map(({ feature, value }: Json) => [feature, value]))).toEqual(packet.driver_strengths);
    expect(postmortem['stages'].during.rows.at(-1)).toEqual(workbench['lineage'].event);
    expect(evidence['source_quality']).toEqual(forced['source_quality']);
    expect([quality['quality_score'], quality['source_support_ratio']]).toEqual([
      packet.packet_quality.quality_score,
      packet.packet_quality.source_support_ratio,
    ]);
  });

  it('a packet in the middle has thirty packets on each side, each as it was made, and nothing of after an instant asked for', async () => {
    const middle = packets[33] as PacketResult;
    const body = await read(`packets/${middle.packet.event_id}/workbench`);
    const ids = (rows: readonly Json[]) => rows.map(({ event_id }) => event_id);
    expect(ids(body['lineage'].before.rows)).toEqual(packets.slice(3, 33).map(({ packet }) => packet.event_id));
    expect(ids(body['lineage'].after.rows)).toEqual(packets.slice(34, 64).map(({ packet }) => packet.event_id));
    expect(body['meta'].response_semantics).toMatchObject({ freshness_state: 'stale', stale: true });
    const asOf = new Date((packets[40] as PacketResult).windowEndMs + 3_000).toISOString();
    const earlier = await read(`packets/${middle.packet.event_id}/workbench?as_of=${asOf}`);
    expect(ids(earlier['lineage'].after.rows)).toEqual(packets.slice(34, 41).map(({ packet }) => packet.event_id));
    expect([earlier['as_of_utc'], earlier['lineage'].after.complete, earlier['lineage'].after.sentence]).toEqual([
      asOf,
      false,
      '7 of 30 packets have followed it so far.',
    ]);
    const derived = await read(`microstructure/queue-fragility/latest?as_of=${asOf}`);
    expect(derived['packet_ref'].event_id).toBe((packets[40] as PacketResult).packet.event_id);
  });

  it('an event is 404 before it was known and when there is none, and 410 for an instant from before what is kept', async () => {
    const { packet, windowEndMs } = packets[33] as PacketResult;
    for (const route of [`events/${packet.event_id}/evidence`, `packets/${packet.event_id}/workbench`, `postmortems/${packet.event_id}`]) {
      const statuses = [
        `${route}?as_of=${windowEndMs - 1}`,
        route.replace(packet.event_id, 'evt_none'),
        `${route}?as_of=1000`,
        `${route}?as_of=soon`,
      ].map(async (path) => (await booted.keyed(`${ROUTES}/${path}`)).status);
      expect(await Promise.all(statuses)).toEqual([404, 404, 410, 422]);
    }
    const old = await booted.keyed(`${ROUTES}/feature-quality?as_of=1000`);
    expect(old.json()).toMatchObject({ status: 410, code: 'beyond_retention', oldest_available_utc: '2025-12-31T00:00:00.000Z' });
  });

  it('every route that is linked is one that is served', async () => {
    const bodies = await Promise.all(CHECKED.slice(0, 3).map(([path]) => read(path)));
    const links: Json[] = bodies.flatMap((body) => [...body['links'], ...(body['next_steps']?.steps ?? [])]);
    expect(links.length).toBeGreaterThan(10);
    const named = new Set(
      Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method]) => `${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '[^/]+')}`),
      ),
    );
    for (const { method, route } of links)
      expect([route, [...named].some((pattern) => new RegExp(`^${pattern}$`).test(`${method} ${String(route).split('?', 1)[0]}`))]).toEqual(
        [route, true],
      );
  });

  it('feed rejections are reported by reason, but not for an earlier instant or a sandbox key', async () => {
    const quality = await read('feature-quality');
    expect(quality['rejected_messages']).toEqual({
      counted_since_utc: '2025-12-31T00:00:00.000Z',
      message_total: 3,
      by_reason: [
        { reason: 'crossed_book', message_total: 2 },
        { reason: 'one_sided_book', message_total: 1 },
      ],
    });
    const earlier = await read(`feature-quality?as_of=${(packets[40] as PacketResult).windowEndMs + 3_000}`);
    expect([earlier['rejected_messages'], earlier['rejected_messages_note']]).toEqual([
      null,
      'Counts are current and are not stored for earlier instants.',
    ]);
  });

  it('a channel that is not reported has no rows and no counts: absent is not zero', async () => {
    const evidence = await read(`events/${newest.packet.event_id}/evidence`);
    for (const channel of evidence['source_rows']) {
      const reported = channel.channel === 'book' || channel.channel === 'trades';
      expect([channel.channel, channel.reported, channel.rows === null, channel.retained_in_span_total === null]).toEqual([
        channel.channel,
        reported,
        !reported,
        !reported,
      ]);
      if (reported) expect(channel.rows.length).toBe(channel.row_total);
    }
  });
});
