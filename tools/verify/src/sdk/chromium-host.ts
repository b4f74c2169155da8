import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { openBrowserPage } from '@market-state/testing';
import { build } from 'esbuild';
import type { SdkHost } from './host';
import type { SdkPage } from './work/page-main';

const SCRIPT = join('tools', 'verify', 'src', 'sdk', 'work', 'page-main.ts');
const PATH = '/page-of-the-sdk';
const PAGE = `<!doctype html><title>SDK</title><link rel="icon" href="data:,"><script src="${PATH}/script.js"></script>`;
/** The policy of the portal's pages, but for workers and Trusted Types, of which the SDK has none. */
const CSP = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; require-trusted-types-for 'script'";
/** The network's own lines in the console: each is a fault that was made. */
const OF_NETWORK = /^Failed to load resource: /;

/** What the page may ask of this process. */
interface Asking {
  say(line: string): Promise<void>;
  areCutsOver(): Promise<boolean>;
}

/**
 * The SDK, bundled for browsers, in a page of this machine's Chromium.
 * @param origin where the page is, and whom it can ask; the page itself is answered by the browser's driver
 * @throws Error when there is no Chromium
 */
export async function openChromiumHost(closer: Closer, origin: string): Promise<SdkHost> {
  const { page, complaints, close } = await openBrowserPage({ width: 800, height: 600, mobile: false });
  closer.add('browser', close);
  const script = await scriptOfPage();
  const headers = { 'content-security-policy': CSP };
  await page.route(`${origin}${PATH}**`, (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', headers, body: script })
      : route.fulfill({ contentType: 'text/html', headers, body: PAGE }),
  );
  const during = { say: (_line: string): void => undefined, areCutsOver: (): boolean => false };
  await page.exposeFunction('say', (line: string) => during.say(line));
  await page.exposeFunction('areCutsOver', () => during.areCutsOver());
  await page.goto(`${origin}${PATH}`);
  // While paths are answered here the browser keeps nothing of what it was answered, as it would elsewhere.
  await page.unrouteAll();
  return {
    name: 'Chromium',
    sendsAgain: true,
    makeCalls(order, say) {
      during.say = say;
      return page.evaluate((given) => {
        const { sdk, say: sayThere } = globalThis as unknown as SdkPage & Asking;
        return sdk.makeCalls(given, (line) => void sayThere(line));
      }, order);
    },
    readStreams(access, areCutsOver) {
      during.areCutsOver = areCutsOver;
      return page.evaluate((given) => {
        const { sdk, areCutsOver: areTheyOver } = globalThis as unknown as SdkPage & Asking;
        return sdk.readStreams(given, areTheyOver);
      }, access);
    },
    judgeWebhooks: (messages) => page.evaluate((given) => (globalThis as unknown as SdkPage).sdk.judgeWebhooks(given), messages),
    uncaught: () => complaints.filter((text) => !OF_NETWORK.test(text)),
  };
}

async function scriptOfPage(): Promise<string> {
  const entryPoints = [join(workspaceRoot(), SCRIPT)];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'iife', platform: 'browser', target: 'es2022', write: false });
  return outputFiles[0]?.text ?? '';
}
