import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, extname } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { Browser, Page } from 'playwright-core';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; " +
  "trusted-types portal-worker; base-uri 'none'";
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

interface ServedBuild {
  readonly url: string;
  readonly bundles: Map<string, Uint8Array>;
  /** @throws Error if no file of the build has this prefix */
  fileOf(start: string): Buffer;
  close(): Promise<void>;
}

/** Uses the portal's build settings and policy. */
export async function serveBuild(root: string): Promise<ServedBuild> {
  const outDir = mkdtempSync(join(tmpdir(), 'portal-page-'));
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  });
  const assets = readdirSync(join(outDir, 'assets'));
  const bundles = new Map<string, Uint8Array>([['/favicon.ico', new Uint8Array()]]);
  const files = new Map(
    ['index.html', ...assets.map((file) => `assets/${file}`)].map((file) => [
      file === 'index.html' ? '/' : `/${file}`,
      { type: TYPES[extname(file)] ?? 'application/octet-stream', bytes: readFileSync(join(outDir, file)) },
    ]),
  );
  rmSync(outDir, { recursive: true, force: true });
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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bundles,
    fileOf(start) {
      const name = assets.find((file) => file.startsWith(start));
      const file = files.get(`/assets/${name}`);
      if (file === undefined) throw new Error(`The build has no ${start}…: ${assets.join(', ')}`);
      return file.bytes;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

/** The headless shell first: it opens a page with a quarter of the CPU time. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
/** All of Playwright's list, which this one replaces, plus pages preloaded for the address bar. */
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

export function findChromium(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))).find((file) => existsSync(file)) ?? null;
}

interface Screen {
  readonly width: number;
  readonly height: number;
  readonly mobile: boolean;
  readonly scheme?: 'light' | 'dark';
}

interface BrowserPage {
  readonly page: Page;
  readonly requests: readonly string[];
  /** Console errors: policy violations, failed loads, uncaught errors. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(`No Chromium found: none of ${PROGRAMS.join(', ')} is on PATH.`);
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** @throws Error without Chromium */
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
