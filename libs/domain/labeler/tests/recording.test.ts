import { testStops } from './recording-suite';

// `npm run verify -- files` runs the other recording.
testStops('BTCUSD-PERP');
