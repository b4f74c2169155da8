import { timeLimit } from '@market-state/lifecycle';
import { exampleSymbols, playsDemo } from './feeds';

export interface CallToTry {
  readonly path: string;
  readonly says?: string;
}

const LATEST = '/api/public/market-state/latest';
const COMPACT = 'its newest packet in short: state, event class, severity, confidence, reasons, six scores, digests';

export function callsToTry(settings: NodeJS.ProcessEnv): CallToTry[] {
  const [first, second] = exampleSymbols(settings);
  const demo = playsDemo(settings) ? 'SIMUSD-PERP' : first;
  return [
    { path: `${LATEST}?symbol=${demo}&view=compact`, says: COMPACT },
    { path: `${LATEST}?symbol=${first}` },
    { path: `/api/public/data/book/l2/latest?symbol=${first}&depth=5` },
    { path: `/api/public/data/trades/latest?symbol=${second}&limit=5` },
  ];
}

const CALL_MS_MAX = 10_000;

/** Tries each recommended call once. @returns its status, 0 without an answer */
export async function firstCalls(urls: readonly string[], key: string): Promise<number[]> {
  return Promise.all(
    urls.map(async (url) => {
      try {
        const response = await fetch(url, { headers: { 'x-market-state-api-key': key }, signal: timeLimit(CALL_MS_MAX) });
        await response.arrayBuffer();
        return response.status;
      } catch {
        return 0;
      }
    }),
  );
}
