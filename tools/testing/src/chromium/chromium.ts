import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

/** The one without a window first: it opens a page for a quarter of the processor time. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
/** Turned off: all of Playwright's list, which this one replaces, and the pages that the browser makes behind each address bar. */
const FEATURES_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${FEATURES_OFF.join(',')}`,
];

/** A Chromium of this machine; null where there is none. */
export function findChromium(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))).find((file) => existsSync(file)) ?? null;
}

/** How a page is shown. */
export interface Screen {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly mobile: boolean;
  readonly scheme?: 'light' | 'dark';
}

/** A page of a real browser, and what it did. */
export interface BrowserPage {
  readonly page: Page;
  /** Addresses that it asked, data URLs left out. */
  readonly requests: readonly string[];
  /** Errors of its console: what its content security policy refused, what could not be loaded, what nobody caught. */
  readonly complaints: readonly string[];
  /** Ends the browser. */
  close(): Promise<void>;
}

/** Starts this machine's Chromium, headless. @throws Error when there is none */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(`There is no Chromium on this machine: none of ${PROGRAMS.join(', ')} is on the PATH.`);
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** Starts this machine's Chromium, headless, with an empty page. @throws Error when there is none */
export async function openBrowserPage({ width, height, mobile, scheme = 'light' }: Screen): Promise<BrowserPage> {
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width, height }, isMobile: mobile, colorScheme: scheme });
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => void (request.url().startsWith('data:') ? undefined : requests.push(request.url())));
  page.on('console', (message) => void (message.type() === 'error' ? complaints.push(message.text()) : undefined));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, requests, complaints, close: () => browser.close() };
}
