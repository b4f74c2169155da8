import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { workspaceRoot } from '@market-state/launcher';
import { prepareBundles } from '../start-system';
import { openBrowserPage } from './chromium';
import { serveBuild } from './serve-build';

const PAGE = join('apps', 'portal', 'tests', 'recompute', 'page');

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
  await prepareBundles();
  const { url, bundles, fileOf, close } = await serveBuild(join(workspaceRoot(), PAGE));
  const { page, complaints, requests, close: closeBrowser } = await openBrowserPage({ width: 800, height: 600, mobile: false });
  await page.goto(url);
  return {
    page,
    complaints: () => [...complaints, ...requests.filter((asked) => !asked.startsWith(url)).map((asked) => `request to ${asked}`)],
    workerScript: fileOf('worker-'),
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
    },
  };
}

/** What the page has for this. */
interface Checking {
  checkBundleAt(path: string, request: PageRequest): Promise<unknown>;
  checkSample(changes: Pick<PageRequest, 'tamper'>): Promise<unknown>;
}
