import { existsSync, readFileSync } from 'node:fs';
import { findChromium, launchChromium } from '../src/index';

/** Linux exposes a process's command line. */
const whereThereIsOne = findChromium() === null || !existsSync('/proc/self/cmdline') ? it.skip : it;

whereThereIsOne('a test browser disables everything that Playwright does: of several lists the last one counts', async () => {
  const browser = await launchChromium();
  try {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const pid = processInfo.find(({ type }) => type === 'browser')?.id;
    const given = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const lists = given.flatMap((argument) => {
      const [, list] = /^--disable-features=(.+)/.exec(argument) ?? [];
      return list === undefined ? [] : [list.split(',')];
    });
    const ours = lists.pop() ?? [];
    expect(ours).toContain('WebUIOmniboxPopup');
    expect(lists.flat().length).toBeGreaterThan(0);
    expect(lists.flat().filter((feature) => !ours.includes(feature))).toEqual([]);
  } finally {
    await browser.close();
  }
});
