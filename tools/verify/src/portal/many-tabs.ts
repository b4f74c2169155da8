import { newVisitor, openPage } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import type { PortalScene } from './scene';

const TABS = 7;
/** Long connections that a browser may hold for any number of tabs. */
const STREAMS_MAX = 2;

/** Opens as many tabs as a browser has connections to a host, and one more: each shows its rows, and one reads for all. */
export async function verifyManyTabs({ report }: SuiteContext, { browser, system, account }: PortalScene): Promise<void> {
  const context = await newVisitor({ browser, url: system.url, screen: 'desktop', scheme: 'dark', account });
  try {
    let streams = 0;
    context.on('request', (request) => void (new URL(request.url()).pathname.endsWith('/stream') ? (streams += 1) : 0));
    for (let tab = 1; tab <= TABS; tab += 1) {
      const { page } = await openPage(context, system.url, '/live');
      await page.getByText('up to date').first().waitFor();
    }
    report.check(streams <= STREAMS_MAX, `${TABS} tabs opened ${streams} streams.`);
    report.figure('tabs, and streams that they opened', `${TABS}, ${streams}`);
  } finally {
    await context.close();
  }
}
