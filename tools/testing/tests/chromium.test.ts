import { findChromium, launchChromium } from '../src/index';

const whereThereIsOne = findChromium() === null ? it.skip : it;

whereThereIsOne('a browser of tests does without everything that Playwright turns off: of several lists the last counts', async () => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto('chrome://version');
    const line = await page.locator('#command_line').innerText();
    const lists = [...line.matchAll(/--disable-features=(\S+)/g)].map(([, list = '']) => list.split(','));
    const ours = lists.pop() ?? [];
    expect(ours).toContain('WebUIOmniboxPopup');
    expect(lists.flat().length).toBeGreaterThan(0);
    expect(lists.flat().filter((feature) => !ours.includes(feature))).toEqual([]);
  } finally {
    await browser.close();
  }
});
