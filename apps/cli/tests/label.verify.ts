import { digestsInProcess, expectPackets } from './labelled';
import { createWorkplace, ETH } from './run';

const place = createWorkplace();
afterAll(() => place.remove());

test('label gives the packets of ETHUSD-PERP that the libraries give, digest for digest, and nothing else on stdout', async () => {
  expectPackets(await place.run('label', ...ETH), 'ETHUSD-PERP', await digestsInProcess(ETH));
});
