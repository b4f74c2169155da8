import { exampleSymbols, playsDemo } from './feeds';

/** A call that is recommended, and what to say of it. */
export interface CallToTry {
  readonly path: string;
  readonly says?: string;
}

const LATEST = '/api/public/market-state/latest';
const COMPACT = 'its newest packet in short: state, event class, severity, confidence, reasons, six scores, digests';

/** What is recommended to try first, in that order. */
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
