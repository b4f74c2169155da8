import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { workspaceRoot } from '@market-state/launcher';
import { prepareBundles } from '../start-system';
import { openBrowserPage } from './chromium';

/** What the portal's pages allow of scripts. */
const CSP =
  "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types portal-worker; " +
  "base-uri 'none'";
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript' };

/** What is asked of the page beside the bundle. */
export interface PageRequest {
  readonly policyFiles: object;
  readonly keys: readonly { readonly kid: string; readonly x: string }[] | null;
  readonly eventId?: string;
  readonly tamper?: { readonly trade: number };
}

/** How one of the three checks went, and for how many packets it holds. */
interface Check {
  readonly outcome: 'holds' | 'broken' | 'not_checked';
  readonly packetTotal: number;
}

/** The part of the worker's findings that is looked at here; `@market-state/labeler/recompute` has all of them. */
interface Findings {
  readonly holds: boolean;
  readonly body: Check;
  readonly maker: Check;
  readonly derivation: Check;
  readonly firstDifference: { readonly in: string; readonly path: string; readonly ours: unknown; readonly theirs: unknown } | null;
}

/** What the worker answered, and how it went there. */
export interface PageAnswer {
  readonly answer:
    | {
        readonly type: 'checked';
        readonly check: Findings;
        readonly tradeTotal: number;
        readonly moved: { readonly ordinal: number } | null;
      }
    | { readonly type: 'refused'; readonly lines: readonly string[] };
  /** From the request to the answer. */
  readonly tookMs: number;
  /** Messages of progress. */
  readonly progressTotal: number;
  /** The longest time in which the page itself could not answer. */
  readonly longestPauseMs: number;
}

/** A page in a real browser that recomputes bundles in the portal's worker. */
export interface RecomputePage {
  check(bundle: Uint8Array, request: PageRequest): Promise<PageAnswer>;
  /** Checks the sample that is shipped with the portal. */
  checkSample(changes?: Pick<PageRequest, 'tamper'>): Promise<PageAnswer>;
  readonly page: Page;
  /** The worker's script as it is served. */
  readonly workerScript: Buffer;
  /** Errors of its console, reports of its content security policy and requests to other places, each as a text. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

/** Builds the page and the worker as the portal's build does, serves them under the portal's policy, and opens them in Chromium. */
export async function openRecomputePage(): Promise<RecomputePage> {
  const folder = mkdtempSync(join(tmpdir(), 'recompute-page-'));
  await prepareBundles();
  await buildPage(folder);
  const files = readdirSync(join(folder, 'assets'));
  const worker = files.find((file) => file.startsWith('worker-'));
  if (worker === undefined) throw new Error(`The build has no worker: ${files.join(', ')}`);
  const { url, bundles, close } = await serve(folder);
  const { page, complaints, requests, close: closeBrowser } = await openBrowserPage({ width: 800, height: 600, mobile: false });
  await page.goto(url);
  return {
    page,
    complaints: () => [...complaints, ...requests.filter((asked) => !asked.startsWith(url)).map((asked) => `request to ${asked}`)],
    workerScript: readFileSync(join(folder, 'assets', worker)),
    async check(bundle, request) {
      const path = `/bundles/${randomUUID()}`;
      bundles.set(path, bundle);
      try {
        return (await page.evaluate(([from, asked]) => (globalThis as unknown as Checking).checkBundleAt(from, asked), [
          path,
          request,
        ] as const)) as PageAnswer;
      } finally {
        bundles.delete(path);
      }
    },
    checkSample: (changes = {}) =>
      page.evaluate((asked) => (globalThis as unknown as Checking).checkSample(asked), changes) as Promise<PageAnswer>,
    async close() {
      await closeBrowser();
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the page has for this. */
interface Checking {
  checkBundleAt(path: string, request: PageRequest): Promise<unknown>;
  checkSample(changes: Pick<PageRequest, 'tamper'>): Promise<unknown>;
}

async function buildPage(outDir: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(workspaceRoot(), 'apps', 'portal', 'tests', 'recompute', 'page'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  });
}

interface Served {
  readonly url: string;
  /** What is served beside the files, by path. */
  readonly bundles: Map<string, Uint8Array>;
  close(): Promise<void>;
}

async function serve(folder: string): Promise<Served> {
  // Chromium asks for an icon.
  const bundles = new Map<string, Uint8Array>([['/favicon.ico', new Uint8Array()]]);
  const files = new Map(
    ['index.html', ...readdirSync(join(folder, 'assets')).map((file) => `assets/${file}`)].map((file) => [
      file === 'index.html' ? '/' : `/${file}`,
      { type: TYPES[extname(file)] ?? 'application/octet-stream', bytes: readFileSync(join(folder, file)) },
    ]),
  );
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    const bytes = file?.bytes ?? bundles.get(request.url ?? '');
    response.writeHead(bytes === undefined ? 404 : 200, {
      'content-type': file?.type ?? 'application/octet-stream',
      'content-security-policy': CSP,
    });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bundles, close };
}
