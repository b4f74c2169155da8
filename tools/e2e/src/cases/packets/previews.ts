import { meta, usageReceipt, faultsOf, filled } from './contract/envelope';
import { packetConstruction, proofBrowser, publicPacketConstruction, publicProofBrowser } from './contract/previews';
import type { DefaultSystem } from '../../system/default-system';
import { youngTimes } from '../../system/young-times';

const BASE = '/api/public/market-state';
const DELAY_MS = 600_000;
const AGE_MS_MAX = 86_400_000;

interface Step {
  readonly browser_step_id: string;
  readonly evidence_state: string;
  readonly pre_key_route_total: number;
  readonly after_key_route_total: number;
  readonly route_access: readonly { readonly access: string }[];
}

interface Browser {
  readonly rows: readonly Step[];
  readonly event_story_packets: readonly { readonly event_id: string; readonly event_severity: { readonly score: number } }[];
  readonly public_packet_tape: {
    readonly rows: readonly { readonly event_id: string; readonly event_time_utc: string; readonly confidence_score: number }[];
    readonly tape_packet_total: number;
  };
  readonly public_packet_lineage_stories: readonly {
    readonly event_id: string;
    readonly source_window_status: string;
    readonly lineage_metrics: { readonly packet_total: number; readonly verified_packet_total: number };
  }[];
  readonly credit_spend_receipts: readonly object[];
  readonly meta: object;
}

/** Removes times of the page and of receipts, which are not packet times. */
function withoutPageTimes(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (name === 'generated_at_utc' || name === 'served_at_utc' ? undefined : inner)),
  ) as unknown;
}

/** Tests of preview pages on a fresh system, public and with a key. */
export function describePreviews(started: () => DefaultSystem): void {
  async function browser(): Promise<Browser> {
    const { status, body } = await started().api.get(`${BASE}/demo/public-proof-browser`);
    expect(status).toBe(200);
    return body as unknown as Browser;
  }

  it('a fresh start has both previews complete within a minute of ready, with every field of the contract', async () => {
    expect((await started().api.getWithKey(`${BASE}/latest`)).status).toBe(200);
    const construction = await started().api.get(`${BASE}/demo/public-packet-construction`);
    let page = await browser();
    while (page.credit_spend_receipts.length === 0 && Date.now() < started().readyMs + 60_000) page = await browser();
    expect(Date.now() - started().readyMs).toBeLessThan(60_000);
    expect(faultsOf('public-packet-construction', publicPacketConstruction, construction.body)).toEqual([]);
    expect(faultsOf('public-proof-browser', publicProofBrowser, page)).toEqual([]);
    expect(faultsOf('receipts', filled(usageReceipt), page.credit_spend_receipts)).toEqual([]);
    expect([construction.body['meta'], page.meta].flatMap((envelope) => faultsOf('meta', meta, envelope))).toEqual([]);
    expect(page.public_packet_tape.tape_packet_total).toBeGreaterThan(250);
    expect(page.public_packet_lineage_stories).toHaveLength(2);
  });

  it('public previews contain no packet time younger than 600 s or older than a day', async () => {
    for (const path of [`${BASE}/demo/public-packet-construction`, `${BASE}/demo/public-proof-browser`]) {
      const { body } = await started().api.get(path);
      const shown = withoutPageTimes(body);
      expect(youngTimes(shown, Date.now() - DELAY_MS)).toEqual([]);
      const all = youngTimes(shown, 0).length;
      expect(all).toBeGreaterThan(10);
      expect(youngTimes(shown, Date.now() - AGE_MS_MAX)).toHaveLength(all);
    }
  });

  it('a story matches what a key finds about its event: evidence, rows, chain', async () => {
    const page = await browser();
    for (const story of page.public_packet_lineage_stories) {
      expect(story.lineage_metrics.verified_packet_total).toBe(story.lineage_metrics.packet_total);
      const evidence = (await started().api.getWithKey(`${BASE}/events/${story.event_id}/evidence`)).body as {
        source_window_status?: string;
      };
      expect(evidence.source_window_status).toBe(story.source_window_status);
      const workbench = (await started().api.getWithKey(`${BASE}/packets/${story.event_id}/workbench`)).body as {
        packet?: { event_severity: { score: number } };
      };
      const shown = page.event_story_packets.find(({ event_id }) => event_id === story.event_id);
      expect(workbench.packet?.event_severity.score).toBe(shown?.event_severity.score);
    }
  });

  it('route totals match the listed routes', async () => {
    for (const row of (await browser()).rows) {
      expect(row.route_access.filter(({ access }) => access === 'pre_key')).toHaveLength(row.pre_key_route_total);
      expect(row.route_access.filter(({ access }) => access === 'after_key')).toHaveLength(row.after_key_route_total);
    }
  });

  it('a key sees the same objects without delay', async () => {
    const construction = await started().api.getWithKey(`${BASE}/demo/packet-construction`);
    const page = await started().api.getWithKey(`${BASE}/demo/proof-browser`);
    expect(faultsOf('packet-construction', packetConstruction, construction.body)).toEqual([]);
    expect(faultsOf('proof-browser', proofBrowser, page.body)).toEqual([]);
    const { packet_tape: tape } = page.body as unknown as { packet_tape: Browser['public_packet_tape'] };
    expect(Date.parse(tape.rows[0]?.event_time_utc ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });
}
