import { firstOf, type SuiteContext } from '../harness';
import { type PortalScene, storedPackets, visiting } from './scene';

const SYMBOL = 'BTCUSD-PERP';
/** Longer than the first waits of a reader, shorter than a window. */
const BETWEEN_CUTS_MS = 7_000;
const PACKET_MS = 10_000;
/** Packets reach the store some seconds after the stream. */
const STORED_MS = 30_000;
/** The page's table has so many. */
const TABLE_ROWS = 30;
const SHOWN_MAX = 5;

/** Cuts the connections of a page again and again, and compares the packets that it shows with those stored. */
export async function verifyCutStreams({ report, budget, say }: SuiteContext, scene: PortalScene): Promise<void> {
  await visiting(scene, { path: `/live/${SYMBOL}`, url: scene.line.url }, async (page) => {
    await page.getByText('packets as a table').click();
    const first = Date.now();
    for (let cut = 1; cut <= budget; cut += 1) {
      await page.waitForTimeout(BETWEEN_CUTS_MS);
      scene.line.cut();
      if (cut % 5 === 0) say(`${cut} of ${budget} cuts`);
    }
    await page.waitForTimeout(STORED_MS);
    const addresses = await page
      .getByRole('group', { name: 'Packets' })
      .or(page.getByRole('region', { name: 'Packets' }))
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const drawn = addresses.map((address) => address.replace('/packet/', '')).reverse();
    const twice = drawn.filter((id, at) => drawn.indexOf(id) !== at);
    const stored = await storedPackets(scene, TABLE_ROWS * 3, Date.now() - 2 * TABLE_ROWS * PACKET_MS);
    // What is newer on either side may still be on its way to the other.
    const common = stored.filter(({ event_id: id }) => drawn.includes(id)).at(-1)?.window_end_utc ?? '';
    const wanted = stored.filter(({ window_end_utc: end }) => end <= common).slice(-TABLE_ROWS + 2);
    const missing = wanted.filter(({ event_id: id }) => !drawn.includes(id));
    report.check(drawn.length === TABLE_ROWS, `The table has ${drawn.length} packets.`);
    report.check(wanted.length === TABLE_ROWS - 2, `Only ${wanted.length} stored packets were compared.`);
    report.fail(
      ...firstOf(
        [
          ...twice.map((id) => `Packet ${id} is drawn twice.`),
          ...missing.map(({ window_end_utc: end }) => `The packet of ${end} is stored and not drawn.`),
        ],
        SHOWN_MAX,
      ),
    );
    report.figure(
      'cuts; packets of that time, those drawn of them',
      `${budget}; ${Math.floor((Date.now() - first) / PACKET_MS)}, ${wanted.length - missing.length} of ${wanted.length} looked at`,
    );
  });
}
