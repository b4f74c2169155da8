import { testStops } from './recording-suite';

testStops('ETHUSD-PERP');
