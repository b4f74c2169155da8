import { axeFaults, findChromium, launchChromium, newVisitor, openPage, openReader, overhang, type Visiting } from '@market-state/testing';
import type { Browser } from 'playwright-core';
import type { DefaultSystem, ReadySystem } from '../../system/default-system';

const LOOKS: readonly (readonly [path: string, screen: Visiting['screen'], scheme: Visiting['scheme']])[] = [
  ['/docs', 'phone', 'light'],
  ['/docs/start/quickstart', 'desktop', 'dark'],
  ['/docs/states/pressure_building', 'desktop', 'light'],
  ['/docs/reference/operations/get-latest', 'phone', 'dark'],
  ['/docs/errors', 'desktop', 'light'],
];

export function quickstartTest(started: () => Pick<ReadySystem, 'system'>): void {
  it('the quickstart works by copy and paste, from no key to a packet and its cost', async () => {
    const { url } = started().system;
    const page = await (await fetch(`${url}/docs/start/quickstart.md`)).text();
    // Python blocks are tested against a stand-in service (tools/testing), and by `npm run verify -- docs`: their
    // environment takes longer than all other tests together.
    const reader = await openReader({ withPython: false });
    try {
      const runs = await reader.read(page);
      expect(runs.map(({ block, exitCode, errors }) => [block.tab, exitCode, exitCode === 0 ? '' : errors])).toEqual(
        [null, 'TypeScript', 'curl', 'TypeScript', 'Command line', 'MCP', null].map((tab) => [tab, 0, '']),
      );
      const [key, , curl, typescript, commandLine, agent, cost] = runs.map(({ output }) => output);
      expect(key).toMatch(/^msk_test_/);
      expect(JSON.parse(curl ?? '')).toMatchObject({ not_a_signal: true, rows: [{ symbol: 'BTCUSD-PERP' }] });
      expect(typescript).toMatch(/ credits, \d+ left$/m);
      expect(JSON.parse(commandLine ?? '')).toMatchObject({ symbol: 'BTCUSD-PERP' });
      expect(agent).toMatch(/^market-state: \{"as_of_utc":.*"charged":\d/);
      expect(cost).toMatch(/^X-Credits-Charged: 1\r?$/im);
    } finally {
      reader.close();
    }
  });
}

/** Tests the published documentation: the quickstart, the page that an error names, and pages in a real browser. */
export function describeDocumentation(started: () => DefaultSystem): void {
  quickstartTest(started);

  it('an error names the page of its code, which exists as HTML and as text', async () => {
    const { url } = started().system;
    const { docs, code } = (await (await fetch(`${url}/api/public/market-state/latest`)).json()) as { docs: string; code: string };
    expect(docs).toBe(`/docs/errors/${code}`);
    expect(await (await fetch(url + docs)).text()).toContain('<h1>');
    expect(await (await fetch(url + docs, { headers: { accept: 'text/markdown' } })).text()).toMatch(/^# /);
  });

  const inBrowser = findChromium() === null ? describe.skip : describe;
  inBrowser('in Chromium (skipped where no chromium is on PATH)', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());

    it.each(LOOKS)('%s on a %s, %s: axe, the browser and the policy find nothing', async (path, screen, scheme) => {
      const { url } = started().system;
      const context = await newVisitor({ browser, url, screen, scheme });
      try {
        const { page, complaints } = await openPage(context, url, path);
        expect(await axeFaults(page)).toEqual([]);
        expect(await overhang(page)).toBe(0);
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    });
  });
}
