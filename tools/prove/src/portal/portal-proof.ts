import type { Proof, ProofContext } from '../harness';
import { proveCheckout } from './checkout';
import { proveConditions } from './conditions';
import { proveCutStreams } from './cut-streams';
import { proveEveryPage } from './every-page';
import { proveHoles } from './holes';
import { proveKeyboard } from './keyboard';
import { proveManyTabs } from './many-tabs';
import { provePacketNumbers } from './packet-numbers';
import { openPortalScene, type PortalScene } from './scene';

const PARTS: Readonly<Record<string, (context: ProofContext, scene: PortalScene) => Promise<void>>> = {
  pages: proveEveryPage,
  keyboard: proveKeyboard,
  numbers: provePacketNumbers,
  tabs: proveManyTabs,
  cuts: proveCutStreams,
  conditions: proveConditions,
  checkout: proveCheckout,
};

/** The portal in this machine's Chromium, before the started product. */
export const portalProof: Proof = {
  id: 'portal',
  claim:
    'every page of the portal works at two sizes in two themes without a fault of axe, policy or console; what can be the matter is said in ' +
    'words; cut streams lose and repeat no packet; a hole is as wide as it lasted; figures are those of the packet; a payment leads to the balance',
  budget: { default: 20, counts: 'cuts of the streams of a page' },
  async run(context) {
    const { closer, report, only } = context;
    const wanted = only?.split(',') ?? ['holes', ...Object.keys(PARTS)];
    if (wanted.includes('holes')) await proveHoles(context);
    const parts = Object.entries(PARTS).filter(([name]) => wanted.includes(name));
    report.check(
      parts.length + Number(wanted.includes('holes')) === wanted.length,
      `The parts are holes, ${Object.keys(PARTS).join(', ')}.`,
    );
    if (parts.length === 0) return;
    const scene = await openPortalScene(closer);
    for (const [, prove] of parts) await prove(context, scene);
  },
};
