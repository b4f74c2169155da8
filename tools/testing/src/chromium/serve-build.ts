import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';

/** What the portal's pages allow of scripts and styles. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; " +
  "trusted-types portal-worker; base-uri 'none'";
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

/** A page that was built and is served on loopback. */
export interface ServedBuild {
  readonly url: string;
  /** What is served beside the files, by path. */
  readonly bundles: Map<string, Uint8Array>;
  /** The file of the build whose name begins so. @throws Error when there is none */
  fileOf(start: string): Buffer;
  close(): Promise<void>;
}

/** Builds the page in a folder as the portal's build does, and serves it under the portal's policy. */
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
  // Chromium asks for an icon.
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
