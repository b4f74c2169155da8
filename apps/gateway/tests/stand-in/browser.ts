import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

/** Time to end by itself. */
const CLOSE_MS = 10_000;

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

/** A Chromium of this machine; null where there is none. */
export function findChromium(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))).find((file) => existsSync(file)) ?? null;
}

type Params = Readonly<Record<string, unknown>>;

/** One page of a real browser. */
export interface BrowserPage {
  send(method: string, params?: Params): Promise<Params>;
  /** Every event of this kind until now. */
  events(method: string): readonly Params[];
  /** The value of an expression of the page. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

function devToolsUrl(browser: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    browser.once('exit', () => reject(new Error('the browser ended before it listened')));
    if (browser.stderr === null) throw new Error('the browser has no output');
    createInterface(browser.stderr).on('line', (line) => {
      const url = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** Starts a headless browser with a page of this size, pixels, by the protocol of its developer tools. */
export async function openBrowser(
  program: string,
  size: { readonly width: number; readonly height: number; readonly mobile: boolean },
): Promise<BrowserPage> {
  const profile = mkdtempSync(join(tmpdir(), 'browser-'));
  const browser = spawn(
    program,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => browser.once('exit', () => resolve()));
  const socket = new WebSocket(await devToolsUrl(browser));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, { resolve(result: Params): void; reject(error: Error): void }>();
  const heard: { readonly method: string; readonly params: Params }[] = [];
  let lastId = 0;
  const session: { id?: string | undefined } = {};
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as {
      id?: number;
      method?: string;
      params?: Params;
      result?: Params;
      error?: { message: string };
    };
    const call = message.id === undefined ? undefined : waiting.get(message.id);
    if (message.method !== undefined) heard.push({ method: message.method, params: message.params ?? {} });
    else if (message.error !== undefined) call?.reject(new Error(message.error.message));
    else call?.resolve(message.result ?? {});
  });
  const send = (method: string, params: Params = {}): Promise<Params> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      socket.send(JSON.stringify({ id: lastId, method, params, sessionId: session.id }));
    });
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  session.id = String((await send('Target.attachToTarget', { targetId, flatten: true }))['sessionId']);
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await send(`${domain}.enable`);
  await send('Emulation.setDeviceMetricsOverride', { width: size.width, height: size.height, deviceScaleFactor: 1, mobile: size.mobile });
  return {
    send,
    events: (method) => heard.filter((event) => event.method === method).map(({ params }) => params),
    async evaluate(expression) {
      const { result } = (await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })) as {
        result: { value: unknown };
      };
      return result.value;
    },
    async close() {
      // A browser that is killed leaves helpers behind, which write into the profile for a moment still.
      session.id = undefined;
      void send('Browser.close');
      const late = setTimeout(() => browser.kill('SIGKILL'), CLOSE_MS);
      await ended;
      clearTimeout(late);
      socket.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
