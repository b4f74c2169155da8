import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { findChromium, withCloser, openBrowserPage, oneOf, wholeBetween } from '@market-state/testing';
import { formatWebhookSecret, signWebhook } from '@market-state/webhook-signing';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { type Edge, openEdge, type Market, openMarket } from '../edge/edge';
import { needsChromium, type Suite, type SuiteContext, firstOf } from '../harness';
import { verifyCalls } from './faulty-calls';
import { openFaultyProxy, type FaultyProxy } from './faulty-proxy';
import { openNodeHost, type SdkHost } from './host';
import type { Access, WebhookMessage } from './calls';
import type { SdkPage } from './page-main';

const VECTORS_SHOWN_MAX = 10;
const SECRET_BYTES = 32;
const TOLERANCE_SECONDS = 300;

const CHANGES = ['none', 'none', 'none', 'body', 'id', 'late', 'early', 'secret', 'header', 'reserialised', 'more signatures'] as const;

/** Checks messages with the SDK and the reference library: they must agree. */
async function verifyWebhooks({ report, random }: SuiteContext, host: SdkHost, total: number): Promise<void> {
  const messages = Array.from({ length: total }, () => drawMessage(random));
  const reference = messages.map(judgeReference);
  const verdicts = await host.judgeWebhooks(messages.map(({ body, headers, secret }) => ({ body, headers, secret })));
  const failures = messages.flatMap(({ change }, at) =>
    verdicts[at] === reference[at]
      ? []
      : [`${host.name}: a message with the change "${change}" is ${verdicts[at] ? 'genuine' : 'refused'}, unlike the reference.`],
  );
  report.fail(...firstOf(failures, VECTORS_SHOWN_MAX));
  const genuine = verdicts.filter(Boolean).length;
  report.figure(`${host.name}: webhook messages genuine, refused`, `${genuine}, ${verdicts.length - genuine}`);
}

function drawMessage(random: () => number): WebhookMessage & { readonly change: (typeof CHANGES)[number] } {
  const bytes = (): Buffer => Buffer.from(Array.from({ length: SECRET_BYTES }, () => wholeBetween(0, 255, random)));
  const change = oneOf(CHANGES, random);
  const secret = formatWebhookSecret(bytes());
  const sent = `{"id": "msg_${wholeBetween(0, 1e6, random)}", "note": "é\\u00e9 ${random()}", "score": 0.50}`;
  const now = Math.floor(Date.now() / 1_000);
  const shift = change === 'late' ? -1 : change === 'early' ? 1 : 0;
  const timestampSeconds = now + shift * (TOLERANCE_SECONDS + wholeBetween(60, 5_000, random));
  const id = `msg_${wholeBetween(0, 1e6, random)}`;
  const headers: Record<string, string> = { ...signWebhook({ id, timestampSeconds, body: sent }, [secret]) };
  if (change === 'id') headers['webhook-id'] = `${id}0`;
  if (change === 'header') delete headers[oneOf(['webhook-id', 'webhook-timestamp', 'webhook-signature'], random)];
  if (change === 'more signatures') headers['webhook-signature'] = `v1,AAAA v2,x ${headers['webhook-signature'] ?? ''}`;
  const body = change === 'reserialised' ? JSON.stringify(JSON.parse(sent)) : change === 'body' ? sent.replace('0.50', '0.51') : sent;
  return { change, headers, body, secret: change === 'secret' ? formatWebhookSecret(bytes()) : secret };
}

function judgeReference({ body, headers, secret }: WebhookMessage): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

const SCRIPT = join('tools', 'verify', 'src', 'sdk', 'page-main.ts');
const PATH = '/page-of-the-sdk';
const PAGE = `<!doctype html><title>SDK</title><link rel="icon" href="data:,"><script src="${PATH}/script.js"></script>`;
/** The portal's policy without workers and Trusted Types, which the SDK does not use. */
const CSP = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; require-trusted-types-for 'script'";
/** The browser's network messages in the console, each caused by an injected fault. */
const OF_NETWORK = /^Failed to load resource: /;

interface Asking {
  say(line: string): Promise<void>;
  areCutsOver(): Promise<boolean>;
}

/**
 * The SDK, bundled for browsers, in a page of this machine's Chromium.
 * @param origin the page's origin; the browser's driver serves the page itself
 * @throws Error without Chromium
 */
async function openChromiumHost(closer: Closer, origin: string): Promise<SdkHost> {
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
  // While routes are intercepted the browser does not cache, as it otherwise would.
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

const SHOWN_MAX = 10;
const SAY_EVERY = 10;

async function verifyStreams(
  { report, say }: SuiteContext,
  { host, proxy, cuts, access }: { readonly host: SdkHost; readonly proxy: FaultyProxy; readonly cuts: number; readonly access: Access },
): Promise<void> {
  let said = 0;
  const { rows, stored, packetNumbers, chain } = await host.readStreams(access, () => {
    if (proxy.cuts() >= said + SAY_EVERY) say(`${host.name}: ${(said = proxy.cuts())} cuts`);
    return proxy.cuts() >= cuts;
  });
  const [had, wanted] = [new Set(rows), new Set(stored)];
  report.fail(
    ...firstOf(
      [
        ...repeatedIn(rows).map((place) => `${host.name}: row ${place} arrived twice.`),
        ...stored.filter((place) => !had.has(place)).map((place) => `${host.name}: row ${place} did not arrive.`),
        ...rows.filter((place) => !wanted.has(place)).map((place) => `${host.name}: row ${place} arrived but is not stored.`),
        ...packetFaults(packetNumbers).map((number) => `${host.name}: packet ${number} is out of sequence.`),
      ],
      SHOWN_MAX,
    ),
  );
  report.check(chain.ok, `${host.name}: the packets do not form a chain: ${JSON.stringify(chain.firstBreak)}.`);
  report.check(rows.length > 0, `${host.name}: no rows arrived.`);
  report.figure(
    `${host.name}: cuts of streams; rows and packets received, those stored`,
    `${proxy.cuts()}; ${rows.length} and ${packetNumbers.length}, ${stored.length}`,
  );
}

function repeatedIn(places: readonly string[]): string[] {
  const seen = new Set<string>();
  return places.filter((place) => seen.has(place) || !seen.add(place));
}

function packetFaults(numbers: readonly number[]): number[] {
  return numbers.filter((number, at) => at > 0 && number !== (numbers[at - 1] ?? 0) + 1);
}

const FAULTS = 0.05;
const CALLS_A_CUT = 100;
const CALLS_A_WEBHOOK = 10;
const CREDITS = 10_000_000;

const HOSTS = ['node', 'chromium'] as const;
const PARTS = ['webhooks', 'calls', 'streams'] as const;

export const sdkSuite: Suite = {
  id: 'sdk',
  claim:
    `with ${FAULTS * 100} % faults, each SDK call in Node and Chromium is answered or refused with a message, charges equal receipts, ` +
    'and cut streams neither lose nor repeat anything',
  budget: { default: 10_000, counts: `calls; one stream is cut for every ${CALLS_A_CUT}, one webhook judged for every ${CALLS_A_WEBHOOK}` },
  short: { seed: 20_271_122, budget: 100 },
  needs: [needsChromium],
  run: async (context) => verifySdk(context, await openMarket(context.closer)),
};

/** The SDK against a gateway through a faulty proxy; `only` names hosts, parts or both. */
async function verifySdk(context: SuiteContext, market: Market): Promise<void> {
  const { closer, report, random, only } = context;
  const wanted = only?.split(',') ?? [];
  const unknown = wanted.filter((name) => ![...HOSTS, ...PARTS].some((part) => part === name));
  report.check(unknown.length === 0, `Choose parts from: ${[...HOSTS, ...PARTS].join(', ')}.`);
  const hosts = chosenOf(HOSTS, wanted).filter((host) => host !== 'chromium' || findChromium() !== null);
  report.check(hosts.length === chosenOf(HOSTS, wanted).length, 'There is no Chromium on this machine.');
  const edge = await openEdge(closer, market, { gateways: 1, random });
  await edge.ready();
  const parts = chosenOf(PARTS, wanted);
  for (const host of hosts) await withCloser((own) => verifyIn(host, parts, { ...context, closer: own }, edge));
}

function chosenOf<Name extends string>(names: readonly Name[], wanted: readonly string[]): readonly Name[] {
  const chosen = names.filter((name) => wanted.includes(name));
  return chosen.length === 0 ? names : chosen;
}

async function verifyIn(
  name: (typeof HOSTS)[number],
  parts: readonly (typeof PARTS)[number][],
  context: SuiteContext,
  { gateways, tenants, pool }: Edge,
): Promise<void> {
  const { closer, report, random, budget } = context;
  const cuts = Math.ceil(budget / CALLS_A_CUT);
  const proxy = await openFaultyProxy(closer, { target: gateways[0]?.url ?? '', random, faults: FAULTS, cuts });
  const host = name === 'node' ? openNodeHost(closer) : await openChromiumHost(closer, proxy.url);
  const caller = await tenants.create({ name: `sdk ${name}`, planId: 'enterprise', marketStateCredits: CREDITS });
  const other = await tenants.create({ name: `sdk ${name} budget`, planId: 'enterprise', marketStateCredits: CREDITS });
  const access = { baseUrl: proxy.url, apiKey: caller.key };
  if (parts.includes('webhooks')) await verifyWebhooks(context, host, Math.ceil(budget / CALLS_A_WEBHOOK));
  if (parts.includes('calls')) await verifyCalls(context, { host, proxy, pool, access, other });
  if (parts.includes('streams')) await verifyStreams(context, { host, proxy, cuts, access });
  report.fail(...host.uncaught().map((text) => `${host.name}: uncaught ${text}`));
}
