import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { workspaceRoot } from '@market-state/launcher';
import { openBrowserPage, serveBuild } from './chromium';

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

/** A packet in short, as the lab's worker tells it. */
interface LabReading {
  readonly windowEndMs: number;
  readonly packetDigest: string;
  readonly state: string;
}

/** The part of what the lab's worker says that is looked at here. */
export type LabPageAnswer =
  | {
      readonly type: 'relabelled';
      readonly readings: readonly LabReading[];
      readonly changes: readonly { readonly windowEndMs: number }[];
      readonly policyDigest: string;
    }
  | { readonly type: 'faults'; readonly faults: readonly { readonly path: string; readonly says: string }[] };

/** A bundle in the lab: how it was opened, and labelled under each set of edits. */
export interface LabRun {
  readonly opened:
    | { readonly type: 'opened'; readonly readings: readonly LabReading[] }
    | { readonly type: 'refused'; readonly lines: readonly string[] };
  readonly openedMs: number;
  readonly answers: readonly { readonly answer: LabPageAnswer; readonly tookMs: number; readonly longestPauseMs: number }[];
}

/** A page in a real browser that recomputes bundles in the portal's worker. */
export interface RecomputePage {
  check(bundle: Uint8Array, request: PageRequest): Promise<PageAnswer>;
  /** Checks the sample that is shipped with the portal. */
  checkSample(changes?: Pick<PageRequest, 'tamper'>): Promise<PageAnswer>;
  /** Opens a bundle in the policy lab's worker, and labels it under each set of edits in turn. */
  label(bundle: Uint8Array, policyFiles: object, edits: readonly Readonly<Record<string, string>>[]): Promise<LabRun>;
  readonly page: Page;
  /** The workers' scripts as they are served: the one that recomputes, and the lab's. */
  readonly workerScripts: readonly Buffer[];
  /** Errors of its console, reports of its content security policy and requests to other places, each as a text. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

/** Builds the page and the worker as the portal's build does, serves them under the portal's policy, and opens them in Chromium. */
export async function openRecomputePage(): Promise<RecomputePage> {
  const { url, bundles, fileOf, close } = await serveBuild(join(workspaceRoot(), PAGE));
  const { page, complaints, requests, close: closeBrowser } = await openBrowserPage({ width: 800, height: 600, mobile: false });
  await page.goto(url);
  const withBundle = async <T>(bundle: Uint8Array, work: (path: string) => Promise<T>): Promise<T> => {
    const path = `/bundles/${randomUUID()}`;
    bundles.set(path, bundle);
    try {
      return await work(path);
    } finally {
      bundles.delete(path);
    }
  };
  return {
    page,
    complaints: () => [...complaints, ...requests.filter((asked) => !asked.startsWith(url)).map((asked) => `request to ${asked}`)],
    workerScripts: ['worker-', 'lab-thread-'].map(fileOf),
    check: (bundle, request) =>
      withBundle(
        bundle,
        (path) =>
          page.evaluate(([from, asked]) => (globalThis as unknown as Checking).checkBundleAt(from, asked), [
            path,
            request,
          ] as const) as Promise<PageAnswer>,
      ),
    label: (bundle, policyFiles, edits) =>
      withBundle(
        bundle,
        (path) =>
          page.evaluate(([from, files, inTurn]) => (globalThis as unknown as Checking).labelBundleAt(from, files, inTurn), [
            path,
            policyFiles,
            edits,
          ] as const) as Promise<LabRun>,
      ),
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
  labelBundleAt(path: string, policyFiles: object, edits: readonly Readonly<Record<string, string>>[]): Promise<unknown>;
  checkSample(changes: Pick<PageRequest, 'tamper'>): Promise<unknown>;
}
