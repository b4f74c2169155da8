import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { silentLogger } from '@market-state/logging';
import { readFeedConfig } from '../src/config';
import { startFeed } from '../src/feed/start-feed';

test('recordings that cannot be read, or are of something else, are one error at the start that names each', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'feed-test-'));
  const [broken, foreign] = [join(folder, 'broken.gz'), join(folder, 'foreign.gz')];
  writeFileSync(broken, 'not gzip');
  writeFileSync(foreign, gzipSync('1723161256172216566 {"stream":"dogeusd_perp@trade","data":{"s":"DOGEUSD_PERP"}}\n'));
  const config = readFeedConfig({
    DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/d',
    REDIS_URL: 'redis://127.0.0.1:1',
    FEED: 'recording',
    FEED_FILE: `BTCUSD-PERP=${broken};ETHUSD-PERP=${foreign}`,
  });
  const failure = startFeed(config, { logger: silentLogger() });
  await expect(failure).rejects.toThrow(broken);
  await expect(failure).rejects.toThrow('unknown symbol "ETHUSD-PERP"');
  rmSync(folder, { recursive: true });
});
