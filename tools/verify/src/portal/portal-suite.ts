import { needsChromium, type Suite, type SuiteContext } from '../harness';
import { verifyCheckout } from './checkout';
import { verifyConditions } from './conditions';
import { verifyCutStreams } from './cut-streams';
import { verifyEveryPage } from './every-page';
import { verifyHoles } from './holes';
import { verifyKeyboard } from './keyboard';
import { verifyManyTabs } from './many-tabs';
import { verifyPacketNumbers } from './packet-numbers';
import { openPortalScene, type PortalScene } from './scene';

const PARTS: Readonly<Record<string, (context: SuiteContext, scene: PortalScene) => Promise<void>>> = {
  pages: verifyEveryPage,
  keyboard: verifyKeyboard,
  numbers: verifyPacketNumbers,
  tabs: verifyManyTabs,
  cuts: verifyCutStreams,
  conditions: verifyConditions,
  checkout: verifyCheckout,
};

/** The portal in this machine's Chromium, before the started product. */
export const portalSuite: Suite = {
  id: 'portal',
  claim:
    'every page of the portal works at two sizes in two themes without a fault of axe, policy or console; what can be the matter is said in ' +
    'words; cut streams lose and repeat no packet; a hole is as wide as it lasted; figures are those of the packet; a payment leads to the balance',
  budget: { default: 20, counts: 'cuts of the streams of a page' },
  short: { seed: 1, budget: 3 },
  needs: [needsChromium],
  async run(context) {
    const { closer, report, only } = context;
    const wanted = only?.split(',') ?? ['holes', ...Object.keys(PARTS)];
    if (wanted.includes('holes')) await verifyHoles(context);
    const parts = Object.entries(PARTS).filter(([name]) => wanted.includes(name));
    report.check(
      parts.length + Number(wanted.includes('holes')) === wanted.length,
      `The parts are holes, ${Object.keys(PARTS).join(', ')}.`,
    );
    if (parts.length === 0) return;
    const scene = await openPortalScene(closer);
    for (const [, verify] of parts) await verify(context, scene);
  },
};
