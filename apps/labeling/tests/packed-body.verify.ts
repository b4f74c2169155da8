import { testDamagedBody } from './damaged-body';
import { labelPurely } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

const [packet] = labelPurely(syntheticLog({ symbol: 'DOGEUSD-PERP', seconds: 30, seed: 11 }));
testDamagedBody(packet?.body ?? '', 1);
