import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { workspaceRoot } from '@market-state/launcher';
import { openBrowserPage, serveBuild } from './chromium';

const PAGE = join('apps', 'portal', 'tests', 'recompute', 'page');

export interface PageRequest {
  readonly policyFiles: object;
  readonly keys: readonly { readonly kid: string; readonly x: string }[] | null;
  readonly eventId?: string;
  readonly tamper?: { readonly trade: number };
}

interface Check {
  readonly outcome: 'holds' | 'broken' | 'not_checked';
  readonly packetTotal: number;
}

/** Subset of the worker's findings; see `@market-state/labeler/recompute`. */
interface Findings {
  readonly holds: boolean;
  readonly body: Check;
  readonly maker: Check;
  readonly derivation: Check;
  readonly firstDifference: { readonly in: string; readonly path: string; readonly ours: unknown; readonly theirs: unknown } | null;
}

export interface PageAnswer {
  readonly answer:
    | {
        readonly type: 'checked';
        readonly check: Findings;
        readonly tradeTotal: number;
        readonly moved: { readonly ordinal: number } | null;
      }
    | { readonly type: 'refused'; readonly lines: readonly string[] };
  readonly tookMs: number;
  readonly progressTotal: number;
  /** Longest time that the page itself was blocked. */
  readonly longestPauseMs: number;
}

interface LabReading {
  readonly windowEndMs: number;
  readonly packetDigest: string;
  readonly state: string;
}

export type LabPageAnswer =
  | {
      readonly type: 'relabelled';
      readonly readings: readonly LabReading[];
      readonly changes: readonly { readonly windowEndMs: number }[];
      readonly policyDigest: string;
    }
  | { readonly type: 'faults'; readonly faults: readonly { readonly path: string; readonly says: string }[] };

export interface LabRun {
  readonly opened:
    | { readonly type: 'opened'; readonly readings: readonly LabReading[] }
    | { readonly type: 'refused'; readonly lines: readonly string[] };
  readonly openedMs: number;
  readonly answers: readonly { readonly answer: LabPageAnswer; readonly tookMs: number; readonly longestPauseMs: number }[];
}

export interface RecomputePage {
  check(bundle: Uint8Array, request: PageRequest): Promise<PageAnswer>;
  checkSample(changes?: Pick<PageRequest, 'tamper'>): Promise<PageAnswer>;
  label(bundle: Uint8Array, policyFiles: object, edits: readonly Readonly<Record<string, string>>[]): Promise<LabRun>;
  readonly page: Page;
  readonly workerScripts: readonly Buffer[];
  /** Console errors, policy reports and requests to other origins. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

/** Uses the portal's build settings and policy. */
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
    complaints: () => [
      ...complaints,
      ...requests.filter((requested) => !requested.startsWith(url)).map((requested) => `request to ${requested}`),
    ],
    workerScripts: ['worker-', 'lab-thread-'].map(fileOf),
    check: (bundle, request) =>
      withBundle(
        bundle,
        (path) =>
          page.evaluate(([from, requested]) => (globalThis as unknown as Checking).checkBundleAt(from, requested), [
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
      page.evaluate((requested) => (globalThis as unknown as Checking).checkSample(requested), changes) as Promise<PageAnswer>,
    async close() {
      await closeBrowser();
      await close();
    },
  };
}

interface Checking {
  checkBundleAt(path: string, request: PageRequest): Promise<unknown>;
  labelBundleAt(path: string, policyFiles: object, edits: readonly Readonly<Record<string, string>>[]): Promise<unknown>;
  checkSample(changes: Pick<PageRequest, 'tamper'>): Promise<unknown>;
}
